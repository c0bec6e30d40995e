// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which tasks of a drill are done: a function of what was observed and typed so far.
 *
 * <p>Thread rule: one thread.
 */
final class DrillProgress {

  /** The most retries a second of the task {@link DrillTask#LIMIT}. */
  private static final double LOW_RATE = 5;

  /** Fewer letters of an id could be a guess. */
  private static final int LEAST_PREFIX = 4;

  private final DrillState.Cause top;
  private final String dead;
  private final Set<String> replicas;
  private final EnumSet<DrillTask> done = EnumSet.noneOf(DrillTask.class);
  private final EnumSet<DrillTask> skipped = EnumSet.noneOf(DrillTask.class);
  private final Set<String> noted = new LinkedHashSet<>();
  private DrillState last;

  /**
   * Creates the progress of a drill that begins.
   *
   * @param begin the state at the begin
   * @param dead the replica that has died
   * @param replicas all replicas
   */
  DrillProgress(DrillState begin, String dead, Set<String> replicas) {
    this.top = begin.causes().getFirst();
    this.dead = dead;
    this.replicas = Set.copyOf(replicas);
    this.last = begin;
  }

  /** Returns the tasks that are not done. */
  Set<DrillTask> open() {
    return EnumSet.complementOf(done);
  }

  /** Returns whether all is done and nothing fails of the top cause any more. */
  boolean healed() {
    return open().isEmpty()
        && last.causes().stream().noneMatch(one -> isTop(one) && one.items() > 0);
  }

  /** Returns how many objects fail of the top cause. */
  long left() {
    return last.causes().stream().filter(this::isTop).mapToLong(DrillState.Cause::items).sum();
  }

  /** Leaves a task out: nothing waits for it any more, and it was not done. */
  void skip(DrillTask task) {
    done.add(task);
    skipped.add(task);
  }

  /** Returns the tasks that were left out. */
  Set<DrillTask> skipped() {
    return skipped;
  }

  /** Returns what a state changes: tasks that are done now, then remarks. */
  Step observed(DrillState state) {
    last = state;
    Set<DrillTask> now = EnumSet.noneOf(DrillTask.class);
    boolean paused = state.causes().stream().anyMatch(one -> isTop(one) && one.paused());
    if (paused) {
      now.add(DrillTask.CAUSE); // who pauses it has found it
      now.add(DrillTask.PAUSE);
    }
    if (state.overridden() && state.rate() <= LOW_RATE) {
      now.add(DrillTask.LIMIT);
    }
    if (state.repaired()) {
      now.add(DrillTask.REPAIR);
    }
    if (state.retried().contains(top.id())) {
      now.add(DrillTask.RETRY);
    }
    if (done.contains(DrillTask.PAUSE)
        && done.contains(DrillTask.LIMIT)
        && done.contains(DrillTask.RETRY)
        && !state.overridden()
        && state.paused().isEmpty()
        && state.causes().stream().noneMatch(DrillState.Cause::paused)) {
      now.add(DrillTask.RESUME);
    }
    return step(now, remarks(state));
  }

  /** Returns what a typed line changes. */
  Step typed(String line) {
    String word = line.strip().toLowerCase(Locale.ROOT);
    if (word.equals(dead)) {
      return step(EnumSet.of(DrillTask.REPLICA), List.of());
    }
    if (replicas.contains(word)) {
      return new Step(Set.of(), List.of(word + " is alive."));
    }
    if (word.length() >= LEAST_PREFIX && top.id().startsWith(word)) {
      return step(EnumSet.of(DrillTask.CAUSE), List.of());
    }
    return last.causes().stream()
        .filter(one -> word.length() >= LEAST_PREFIX && one.id().startsWith(word))
        .findFirst()
        .map(one ->
            new Step(
                Set.of(),
                List.of(
                    "%s of %s is not the one of most objects."
                        .formatted(one.id(), one.controller()))))
        .orElseGet(() ->
            new Step(
                Set.of(),
                List.of(
                    ("\"%s\" is no cause and no replica; \"hint\" shows how the next task is done,"
                            + " \"tasks\" what is left, \"quit\" ends the drill.")
                        .formatted(line.strip()))));
  }

  private List<String> remarks(DrillState state) {
    List<String> remarks = new ArrayList<>();
    for (String controller : state.paused()) {
      remarks.add("%s is paused as a whole: what is fine waits, too.".formatted(controller));
    }
    for (DrillState.Cause one : state.causes()) {
      if (one.paused() && !isTop(one)) {
        remarks.add(
            "The cause %s of %s is paused; another one has more objects."
                .formatted(one.id(), one.controller()));
      }
    }
    if (state.overridden() && state.rate() > LOW_RATE) {
      remarks.add("The limiter allows more than 5 retries a second.");
    }
    if (!state.repaired()
        && done.contains(DrillTask.PAUSE)
        && state.causes().stream().noneMatch(DrillState.Cause::paused)) {
      remarks.add("The pause has ended before the repair.");
    }
    for (String id : state.retried()) {
      if (!id.equals(top.id())) {
        remarks.add("The cause %s was retried; it is not repaired.".formatted(id));
      }
    }
    remarks.removeIf(remark -> !noted.add(remark));
    return remarks;
  }

  private Step step(Set<DrillTask> now, List<String> remarks) {
    Set<DrillTask> added = EnumSet.noneOf(DrillTask.class);
    for (DrillTask task : now) {
      if (done.add(task)) {
        added.add(task);
      }
    }
    return new Step(added, remarks);
  }

  private boolean isTop(DrillState.Cause one) {
    return one.id().equals(top.id()) && one.controller().equals(top.controller());
  }

  /**
   * What has changed.
   *
   * @param done the tasks that are done since
   * @param remarks sentences for the reader
   */
  record Step(Set<DrillTask> done, List<String> remarks) {}
}
