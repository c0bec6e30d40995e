// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.spi.Alarm;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * The threads of one controller.
 *
 * <p>Thread rule: immutable; {@code loop} and {@code workers} take tasks from any thread.
 *
 * @param loop runs tasks one after the other on the controller's event loop, never inside the call
 * @param yielding takes tasks on that event loop only, and runs them there, after pending I/O and
 *     due alarms: for the next slice of long work
 * @param alarms makes alarms that fire on that loop
 * @param workers runs a blocking reconciler, each on a thread of its own, never on the event loop
 */
public record EngineThreads(
    Executor loop, Executor yielding, Alarm.Factory alarms, Executor workers) {

  public EngineThreads {
    Objects.requireNonNull(loop, "loop");
    Objects.requireNonNull(yielding, "yielding");
    Objects.requireNonNull(alarms, "alarms");
    Objects.requireNonNull(workers, "workers");
  }
}
