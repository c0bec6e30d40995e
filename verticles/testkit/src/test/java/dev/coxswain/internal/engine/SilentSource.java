// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;

/** A source without events; its tests define which objects it holds. */
public class SilentSource implements EventSource<Request> {

  @Override
  public String describe() {
    return "things";
  }

  @Override
  public Future<Void> start(EventSink<Request> sink) {
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> stop() {
    return Future.succeededFuture();
  }
}
