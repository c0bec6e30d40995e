// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import java.util.List;

/**
 * What can be shown of a {@link RetryBudget}.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the name of the budget
 * @param kind {@code local} for a budget of this process alone
 * @param rate retries per second
 * @param burst the largest number of tokens
 * @param tokens the tokens there are now; negative while reservations are outstanding
 * @param waiting how many retries wait for a token, as last told by the lanes
 * @param granted how many tokens have been taken since the start
 * @param denied how often a token was asked for and not given since the start
 * @param consumers the names of the consumers with an open lane, sorted
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
    List<String> consumers) {

  public BudgetSnapshot {
    consumers = List.copyOf(consumers);
  }
}
