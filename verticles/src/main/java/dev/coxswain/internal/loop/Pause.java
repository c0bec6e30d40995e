// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.WorkQueue;
import org.jspecify.annotations.Nullable;

/**
 * The pause of one queue, with or without an end.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class Pause {
  private final WorkQueue<?> queue;
  private @Nullable Long until;
  private Runnable onEnd = () -> {};

  Pause(WorkQueue<?> queue) {
    this.queue = queue;
  }

  /**
   * Begins a pause, or replaces the present one.
   *
   * @param end a time of the clock; null for a pause until {@link #end}
   * @param callback called once when that time has come, not by {@link #end}
   */
  void begin(@Nullable Long end, Runnable callback) {
    queue.setPaused(true);
    until = end;
    onEnd = callback;
  }

  void end() {
    queue.setPaused(false);
    until = null;
    onEnd = () -> {};
  }

  /** Ends the pause if its time has come. */
  void endIfOver(long now) {
    Long limit = until;
    if (limit != null && limit - now <= 0) {
      Runnable ended = onEnd;
      end();
      ended.run();
    }
  }

  /** Returns the time at which the pause ends; null for none. */
  @Nullable Long until() {
    return until;
  }
}
