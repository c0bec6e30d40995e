// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkRun;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Consumer;

/**
 * The caller's view of a bulk action, which itself is confined to the event loop.
 *
 * <p>Thread rule: {@link #publish}, {@link #end} and {@link #fail} on the event loop, the rest any
 * thread.
 */
final class BulkTicket implements BulkRun {

  private final Promise<BulkResult> result = Promise.promise();
  private final Consumer<BulkTicket> onStop;
  private volatile BulkProgress progress = BulkProgress.NONE; // written on the event loop only
  private volatile boolean stopped;

  /**
   * Creates a ticket.
   *
   * @param onStop stops the action on the event loop; called on any thread
   */
  BulkTicket(Consumer<BulkTicket> onStop) {
    this.onStop = onStop;
  }

  @Override
  public BulkProgress progress() {
    return progress;
  }

  @Override
  public Future<BulkResult> result() {
    return result.future();
  }

  @Override
  public void stop() {
    stopped = true; // seen before the first slice also when the action has not begun
    onStop.accept(this);
  }

  boolean stopped() {
    return stopped;
  }

  void publish(BulkProgress now) {
    progress = now;
  }

  void end(BulkResult what) {
    progress = what.counts();
    result.tryComplete(what);
  }

  void fail(Throwable cause) {
    result.tryFail(cause);
  }
}
