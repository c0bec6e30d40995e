// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a {@link RetryBudget}, for display.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the name of the budget
 * @param kind {@code local} for a budget of this process alone, {@code hazelcast} for one that all
 *     replicas share
 * @param rate retries per second
 * @param burst the largest number of tokens
 * @param tokens the tokens there are now; negative while reservations are outstanding
 * @param waiting how many retries wait for a token, as last reported by the waiters
 * @param granted how many tokens have been taken since the start
 * @param denied how often a token was requested and not granted since the start
 * @param consumers the names of the consumers with an open waiter, sorted
 * @param degraded why this replica has less than its part of the budget, in words for an operator;
 *     null when it has all of it
 * @param replicas the report of each replica that shares the budget; empty for a local budget
 * @param overrideUntil when the operator's override of rate and burst ends, by the wall clock of
 *     this replica; null without an override
 * @param floor the part of the budget that belongs to this replica alone; null without one
 */
public record BudgetSnapshot(
    String name,
    String kind,
    double rate,
    int burst,
    double tokens,
    int waiting,
    long granted,
    long denied,
    List<String> consumers,
    @Nullable String degraded,
    List<Replica> replicas,
    @Nullable Instant overrideUntil,
    @Nullable Floor floor) {

  /**
   * One replica that shares the budget.
   *
   * <p>Thread rule: immutable.
   *
   * @param name the name of the replica
   * @param waiting how many retries wait there
   * @param granted how many tokens have been taken there since its start
   */
  public record Replica(String name, int waiting, long granted) {}

  /**
   * The part of a shared budget that a replica may use when it reaches none of the others.
   *
   * <p>Thread rule: immutable.
   *
   * @param rate retries per second of it, which are among those of the budget
   * @param burst the largest number of its tokens
   * @param tokens the tokens there are now, which are among those of the budget
   * @param granted how many of the granted tokens came from it; the others came from the common
   *     part
   */
  public record Floor(double rate, int burst, double tokens, long granted) {}

  public BudgetSnapshot {
    consumers = List.copyOf(consumers);
    replicas = List.copyOf(replicas);
  }

  /** Creates a snapshot of a budget that no other replica shares. */
  public BudgetSnapshot(
      String name,
      String kind,
      double rate,
      int burst,
      double tokens,
      int waiting,
      long granted,
      long denied,
      List<String> consumers) {
    this(
        name, kind, rate, burst, tokens, waiting, granted, denied, consumers, null, List.of(), null,
        null);
  }
}
