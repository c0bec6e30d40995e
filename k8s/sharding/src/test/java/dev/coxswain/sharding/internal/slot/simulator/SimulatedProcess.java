// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One process: its clock, its way to the server, and what may happen to both. */
abstract class SimulatedProcess {

  private static final long ANSWER_LIMIT = 5_000;

  final SlotSimulation simulation;
  private final double rate;
  private final long offset;
  private long frozenUntil;
  private long cutUntil;
  private long clockLost;
  private boolean gone;

  /** How a scripted request travels. */
  record Delay(long there, boolean answered) {}

  SimulatedProcess(SlotSimulation simulation, double rate) {
    this.simulation = simulation;
    this.rate = rate;
    this.offset = simulation.random().nextInt(1_000_000);
  }

  /** The monotonic clock. */
  long clock() {
    long stopped = Math.max(0, simulation.now() - clockLost);
    return offset + (long) (stopped * rate);
  }

  boolean isGone() {
    return gone;
  }

  void crash() {
    gone = true;
  }

  void freeze(long time) {
    frozenUntil = Math.max(frozenUntil, simulation.now() + time);
  }

  /** The process and its clock stand still, as those of a paused virtual machine. */
  void pause(long time) {
    freeze(time);
    simulation.after(time, () -> clockLost += time);
  }

  void cut(long time) {
    cutUntil = Math.max(cutUntil, simulation.now() + time);
  }

  void recover() {
    frozenUntil = 0;
    cutUntil = 0;
  }

  /** Runs an action of this process later, and not before it is continued. */
  void later(long time, Runnable action) {
    simulation.after((long) (time / rate), () -> whenRunning(action));
  }

  private void whenRunning(Runnable action) {
    if (gone) {
      return;
    }
    if (simulation.now() < frozenUntil) {
      simulation.at(frozenUntil, () -> whenRunning(action));
    } else {
      action.run();
    }
  }

  /**
   * Sends a request. Its effect comes within a time or never, whatever becomes of this process; its
   * answer comes, or the failure.
   */
  <T> void call(long most, Supplier<T> effect, Consumer<T> answer, Runnable failure) {
    call(most, Optional.empty(), effect, answer, failure);
  }

  <T> void call(
      long most,
      Optional<Delay> scripted,
      Supplier<T> effect,
      Consumer<T> answer,
      Runnable failure) {
    boolean[] done = {false};
    later(
        ANSWER_LIMIT,
        () -> {
          if (!done[0]) {
            done[0] = true;
            failure.run();
          }
        });
    boolean late = simulation.isUnlucky();
    long there = late ? simulation.between(0, most) : simulation.between(1, 30);
    boolean lost = simulation.isUnlucky();
    if (scripted.isPresent()) {
      there = scripted.get().there();
      lost = !scripted.get().answered();
    } else if (isCut()) {
      return;
    }
    boolean answered = !lost;
    simulation.after(
        there,
        () -> {
          if (simulation.isDown()) {
            return;
          }
          T result = effect.get();
          long back = simulation.between(1, 30);
          simulation.after(
              back,
              () ->
                  whenRunning(() -> {
                    if (answered && !isCut() && !done[0]) {
                      done[0] = true;
                      answer.accept(result);
                    }
                  }));
        });
  }

  boolean isCut() {
    return simulation.isDown() || simulation.now() < cutUntil;
  }
}
