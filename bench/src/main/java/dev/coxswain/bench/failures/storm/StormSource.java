// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.storm;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;

/** Delivers a fixed number of requests once. */
final class StormSource implements EventSource<Request> {
  private final int keys;

  StormSource(int keys) {
    this.keys = keys;
  }

  @Override
  public String describe() {
    return keys + " requests that fail";
  }

  @Override
  public Future<Void> start(EventSink<Request> sink) {
    for (int i = 0; i < keys; i++) {
      sink.add(Request.of("storm", "object-" + i), EventSink.PRIORITY_LOW, Trigger.INITIAL_LIST);
    }
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> stop() {
    return Future.succeededFuture();
  }
}
