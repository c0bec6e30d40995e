// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/**
 * A part of the host that is started and stopped.
 *
 * <p>Thread rule: both methods are called on the context of the {@link Lifecycle} and must not
 * block it.
 */
public interface Component {

  /** Returns the name, for logs and messages. */
  String name();

  /** Starts; a failed future fails the start of the host. */
  Future<?> start();

  /**
   * Stops, whether or not it has started completely. A future that fails or never completes does
   * not keep the others from stopping.
   */
  Future<?> stop();

  /** Returns a component of two functions. */
  static Component of(
      String name, Supplier<? extends Future<?>> start, Supplier<? extends Future<?>> stop) {
    return new Component() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Future<?> start() {
        return start.get();
      }

      @Override
      public Future<?> stop() {
        return stop.get();
      }
    };
  }

  /**
   * Returns a component that is only closed.
   *
   * @param vertx runs the close, which blocks, on another thread
   * @param last completes when it can be closed
   */
  static Component closed(
      String name, Vertx vertx, Supplier<? extends Future<?>> last, Runnable close) {
    return of(
        name,
        Future::succeededFuture,
        () ->
            last.get()
                .eventually(() ->
                    vertx.executeBlocking(() -> {
                      close.run();
                      return true;
                    })));
  }
}
