// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.limiter;

import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The retry budgets of a host, by name.
 *
 * <p>Thread rule: any thread.
 */
public final class RetryBudgets {

  private final Map<String, RetryBudget> budgets;
  private final Kind kind;
  private volatile Map<String, Limiter> limits;

  /** How budgets of one kind are made and changed. */
  interface Kind {
    RetryBudget create(String name, Limiter limits);

    /**
     * Checks limits that a budget is to have.
     *
     * @throws IllegalArgumentException naming the key, when it cannot have them now
     */
    void check(RetryBudget budget, Limiter limits);

    /** Changes the limits of a budget; throws as {@link #check} does. */
    void change(RetryBudget budget, Limiter limits);
  }

  private RetryBudgets(Map<String, RetryBudget> budgets, Map<String, Limiter> limits, Kind kind) {
    this.budgets = Map.copyOf(budgets);
    this.limits = limits;
    this.kind = kind;
  }

  /** Returns budgets that are not shared. */
  public static RetryBudgets local(CoxswainConfiguration configuration, Clock clock) {
    return of(
        configuration,
        new Kind() {
          @Override
          public RetryBudget create(String name, Limiter limits) {
            return new LocalRetryBudget(name, limits.rate(), limits.burst(), clock);
          }

          @Override
          public void check(RetryBudget budget, Limiter limits) {}

          @Override
          public void change(RetryBudget budget, Limiter limits) {
            ((LocalRetryBudget) budget).change(limits.rate(), limits.burst());
          }
        });
  }

  static RetryBudgets of(CoxswainConfiguration configuration, Kind kind) {
    Map<String, RetryBudget> made = new TreeMap<>();
    configuration.limiters().forEach((name, limits) -> made.put(name, kind.create(name, limits)));
    return new RetryBudgets(made, configuration.limiters(), kind);
  }

  /** Returns the configured limits, by the name of the budget. */
  public Map<String, Limiter> limits() {
    return limits;
  }

  /**
   * Changes the configured limits.
   *
   * @param next the limits of each budget
   * @throws IllegalArgumentException with a line for each budget that cannot have them now; nothing
   *     has changed then
   */
  public synchronized void change(Map<String, Limiter> next) {
    List<String> problems = new ArrayList<>();
    budgets.forEach((name, budget) -> {
      try {
        kind.check(budget, Objects.requireNonNull(next.get(name)));
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    });
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", problems));
    }
    Map<String, Limiter> changed = new HashMap<>(limits);
    try {
      budgets.forEach((name, budget) -> {
        Limiter to = Objects.requireNonNull(next.get(name));
        if (!to.equals(limits.get(name))) {
          kind.change(budget, to); // fails only if an override was received since the check
          changed.put(name, to);
        }
      });
    } finally {
      limits = Map.copyOf(changed);
    }
  }

  /** Returns all budgets, sorted by name. */
  public Map<String, RetryBudget> all() {
    return new TreeMap<>(budgets);
  }

  /**
   * Returns the budget of this name.
   *
   * @throws IllegalArgumentException when there is none
   */
  public RetryBudget get(String name) {
    RetryBudget budget = budgets.get(name);
    if (budget == null) {
      throw new IllegalArgumentException(
          "no limiter \"" + name + "\"; limiters are " + all().keySet());
    }
    return budget;
  }
}
