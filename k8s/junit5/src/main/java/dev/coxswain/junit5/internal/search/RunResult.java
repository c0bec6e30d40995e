// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.internal.run.TimelineLog;
import java.util.List;

/**
 * The end of one run.
 *
 * @param calls the calls of reconcilers
 * @param attempts how many attempts there were
 * @param writes how many writes reconcilers sent
 * @param events how many events were delivered
 * @param state the objects at the end
 * @param violations laws that it broke whatever the reference is
 * @param log its timeline
 */
record RunResult(
    List<SeenCall> calls,
    int attempts,
    int writes,
    int events,
    ClusterState state,
    List<String> violations,
    TimelineLog log) {

  /**
   * A call of a reconciler.
   *
   * @param shape what is equal in repeated runs
   * @param write the number of the write; 0 for a read
   * @param create whether it creates an object
   * @param step the number of steps that had been done
   */
  record SeenCall(String shape, int write, boolean create, int step) {}
}
