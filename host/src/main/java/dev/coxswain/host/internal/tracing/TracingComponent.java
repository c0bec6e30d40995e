// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.host.internal.lifecycle.Component;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Closes the tracing of a host when it stops.
 *
 * @param vertx runs the close, which blocks, on another thread
 */
public record TracingComponent(Vertx vertx, Tracing tracing) implements Component {

  @Override
  public String name() {
    return "tracing";
  }

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return vertx.executeBlocking(() -> {
      tracing.close();
      return true;
    });
  }
}
