// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether a controller's turn runs on its event loop right now, which includes the code of its
 * user. A watchdog that finds the loop stuck looks here for the controller that holds it. Marking
 * costs two ordered writes a turn, and neither a clock nor memory.
 *
 * <p>Thread rule: marked on the controller's event loop, read anywhere.
 */
public final class LoopOccupant {

  private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
  private volatile @Nullable Thread loop;

  /** Creates a mark; the controller is not inside. */
  public LoopOccupant() {}

  /** Runs a turn, or a part of one that has begun before. */
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
