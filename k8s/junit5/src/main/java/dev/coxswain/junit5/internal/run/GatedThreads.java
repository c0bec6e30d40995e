// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.spi.Alarm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The threads of one process that can be frozen, as by a long pause of its machine, and end without
 * a trace, as by a crash.
 *
 * <p>Thread rule: tasks from any thread; the rest on the thread of the test.
 */
final class GatedThreads {

  private enum State {
    RUNNING,
    FROZEN,
    DEAD
  }

  private final KitTime time;
  private final Deque<Runnable> deferred = new ArrayDeque<>();
  private final List<Alarm> alarms = new ArrayList<>();
  private State state = State.RUNNING;

  GatedThreads(KitTime time) {
    this.time = time;
  }

  /** Returns the threads for an engine; reconcilers run inside the loop and so take no time. */
  EngineThreads threads() {
    return new EngineThreads(this::execute, this::execute, this::alarm, this::execute);
  }

  private void execute(Runnable task) {
    time.execute(() -> run(task));
  }

  private Alarm alarm(Runnable onAlarm) {
    Alarm alarm = time.alarms().create(() -> run(onAlarm));
    alarms.add(alarm);
    return alarm;
  }

  private void run(Runnable task) {
    switch (state) {
      case RUNNING -> task.run();
      case FROZEN -> deferred.add(task);
      case DEAD -> {}
    }
  }

  void freeze() {
    state = State.FROZEN;
  }

  void thaw() {
    if (state == State.FROZEN) {
      state = State.RUNNING;
      deferred.forEach(this::execute);
      deferred.clear();
    }
  }

  void kill() {
    state = State.DEAD;
    deferred.clear();
    alarms.forEach(Alarm::clear);
  }

  boolean isFrozen() {
    return state == State.FROZEN;
  }
}
