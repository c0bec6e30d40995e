// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.retry.BudgetSnapshot;
import java.util.List;

/**
 * The combined reports of all replicas on one limiter.
 *
 * <p>Thread rule: immutable.
 *
 * @param replicas the report of each replica, by name, this one included
 * @param waitingElsewhere how many retries wait on the other replicas
 * @param othersWaiting on how many other replicas retries wait
 * @param worst the worst window
 */
public record ClusterReport(
    List<BudgetSnapshot.Replica> replicas,
    int waitingElsewhere,
    int othersWaiting,
    LimiterStatus.WorstWindow worst) {
  static final ClusterReport NONE =
      new ClusterReport(List.of(), 0, 0, LimiterStatus.WorstWindow.UNKNOWN);

  int replicasWaiting(boolean waitingHere) {
    return othersWaiting + (waitingHere ? 1 : 0);
  }
}
