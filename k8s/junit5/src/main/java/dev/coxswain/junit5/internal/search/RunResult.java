// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.internal.run.RunTally;
import dev.coxswain.junit5.internal.run.TimelineLog;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * One run, from its start to its end.
 *
 * @param calls the calls of reconcilers
 * @param tally what the controllers did, in numbers
 * @param rests the objects at rest after each step, by the number of steps that were done; before
 *     everything is reconciled once more. Without those at which a perturbation held something back
 * @param skippedStep the step that the controllers may have seen together with the next one only; 0
 *     for none
 * @param state the objects at the end
 * @param violations laws that it broke whatever the reference is
 * @param attemptsByStep the attempts after each step, by the number of steps that were done
 * @param failing the requests that failed at rest after steps, for reports
 * @param log its timeline
 */
record RunResult(
    List<SeenCall> calls,
    RunTally tally,
    SortedMap<Integer, ClusterState> rests,
    int skippedStep,
    ClusterState state,
    List<String> violations,
    Map<Integer, Integer> attemptsByStep,
    List<String> failing,
    TimelineLog log) {

  int attempts() {
    return tally.attempts();
  }

  int writes() {
    return tally.writes();
  }

  int events() {
    return tally.events();
  }

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
