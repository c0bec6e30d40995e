// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds work back while the world is paused; confined to the server's event loop. Open to begin
 * with.
 */
public final class Gate {
  private static final int MOST = 10_000;
  private static final int SLICE = 100;

  private final Vertx vertx;
  private final Deque<Runnable> held = new ArrayDeque<>();
  private boolean closed;

  Gate(Vertx vertx) {
    this.vertx = vertx;
  }

  public boolean closed() {
    return closed;
  }

  /** Runs work now, or in order when the gate opens; false when too much waits already. */
  public boolean pass(Runnable work) {
    if (!closed) {
      work.run();
    } else if (held.size() < MOST) {
      held.addLast(work);
    } else {
      return false;
    }
    return true;
  }

  void close() {
    closed = true;
  }

  void open() {
    closed = false;
    drain();
  }

  private void drain() {
    // stops when the gate is closed again; the rest waits for the next time
    for (int i = 0; i < SLICE && !closed && !held.isEmpty(); i++) {
      held.removeFirst().run();
    }
    if (!closed && !held.isEmpty()) {
      vertx.runOnContext(v -> drain());
    }
  }
}
