// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.view.ItemPage;
import io.vertx.core.Promise;
import java.util.concurrent.Executor;

/**
 * Reads one page of items in slices, between which the event loop does other work.
 *
 * <p>Thread rule: confined to the event loop.
 */
final class PageWalk<K> {
  private final QueueReader<K>.Walk walk;
  private final Executor yielding;
  private final Promise<ItemPage> page;

  /**
   * Creates a walk.
   *
   * @param yielding runs the next slice on the event loop, after other work
   */
  PageWalk(QueueReader<K>.Walk walk, Executor yielding, Promise<ItemPage> page) {
    this.walk = walk;
    this.yielding = yielding;
    this.page = page;
  }

  void start() {
    next(this::collect);
  }

  private void next(Runnable slice) {
    yielding.execute(() -> PromiseGuard.run(page, slice));
  }

  private void collect() {
    next(walk.step() ? this::collect : this::show);
  }

  private void show() {
    if (walk.show()) {
      next(this::show);
    } else {
      page.complete(walk.page());
    }
  }
}
