// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.limiter;

import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * The retry budgets of a host, by name.
 *
 * <p>Thread rule: immutable.
 */
public final class RetryBudgets {

  private final Map<String, RetryBudget> budgets;

  private RetryBudgets(Map<String, RetryBudget> budgets) {
    this.budgets = Map.copyOf(budgets);
  }

  /** Returns budgets that are not shared. */
  public static RetryBudgets local(CoxswainConfiguration configuration, Clock clock) {
    return of(
        configuration,
        (name, limiter) -> new LocalRetryBudget(name, limiter.rate(), limiter.burst(), clock));
  }

  static RetryBudgets of(
      CoxswainConfiguration configuration,
      BiFunction<String, CoxswainConfiguration.Limiter, RetryBudget> make) {
    Map<String, RetryBudget> made = new TreeMap<>();
    configuration.limiters().forEach((name, limiter) -> made.put(name, make.apply(name, limiter)));
    return new RetryBudgets(made);
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
