// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A mark of whether a turn of a controller, user code included, runs on its event loop right now. A
 * watchdog that finds the loop blocked uses it to name the controller. Marking costs two ordered
 * writes per turn, without reading a clock or allocating.
 *
 * <p>Thread rule: marked on the controller's event loop, read on any thread.
 */
public final class LoopOccupant {

  private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
  private volatile @Nullable Thread loop;

  /** Creates a mark that is not set. */
  public LoopOccupant() {}

  /** Runs a turn, or a part of one that has begun before, with the mark set. */
  @SuppressWarnings("ReferenceEquality") // a thread is compared by identity
  public void run(Runnable turn) {
    if (inside.getPlain() != null) {
      turn.run();
      return;
    }
    Thread current = Thread.currentThread();
    if (loop != current) {
      loop = current;
    }
    inside.setRelease(current);
    try {
      turn.run();
    } finally {
      inside.setRelease(null);
    }
  }

  /** Returns whether a turn runs now. */
  public boolean isInside() {
    return inside.getAcquire() != null;
  }

  /** Returns the thread of the last turn, or null before the first one. */
  public @Nullable Thread loop() {
    return loop;
  }
}
