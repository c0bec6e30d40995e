// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import dev.coxswain.retry.RetryBudget;
import io.vertx.core.Timer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Requests tokens of a budget as the engine does: for the first waiter only, again when its wait is over. */
final class BudgetRequests implements TokenRequests {
  private static final int MOST_IN_A_TURN = 256;

  private final RetryBudget.Waiter waiter;
  private final Loop loop;
  private final TokenRequests.Granted granted;
  private final ArrayDeque<TokenRequests.One> waiting = new ArrayDeque<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private @Nullable Timer timer;
  private boolean busy;
  private boolean closed;

  BudgetRequests(RetryBudget budget, Loop loop, TokenRequests.Granted granted) {
    this.loop = loop;
    this.granted = granted;
    this.waiter = budget.openWaiter("bench", this::wake);
  }

  private void wake() {
    if (woken.compareAndSet(false, true)) {
      loop.run(() -> {
        woken.set(false);
        if (!busy) {
          serve();
        }
      });
    }
  }

  @Override
  public void request(TokenRequests.One request) {
    waiting.addLast(request);
    if (!busy) {
      serve();
    }
  }

  private void serve() {
    busy = true;
    for (int i = 0; i < MOST_IN_A_TURN; i++) {
      TokenRequests.One first = waiting.peekFirst();
      if (closed || first == null) {
        busy = false;
        return;
      }
      long before = System.nanoTime();
      long wait = waiter.tryAcquire(waiting.size());
      long now = System.nanoTime();
      first.heldNanos += now - before;
      if (wait > 0) {
        busy = false;
        arm(wait);
        return;
      }
      waiting.removeFirst();
      granted.granted(first, now);
    }
    loop.run(this::serve); // still busy, so nothing serves before
  }

  private void arm(long wait) {
    if (timer != null) {
      timer.cancel();
    }
    timer =
        loop.after(
            wait,
            () -> {
              if (!busy) {
                serve();
              }
            });
  }

  @Override
  public long failed() {
    return 0; // counted by the member
  }

  @Override
  public void close() {
    closed = true;
    waiting.clear();
    if (timer != null) {
      timer.cancel();
    }
    waiter.close();
  }
}
