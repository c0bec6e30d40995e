// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;

/** Delivers a number of requests once, half of them of the namespace "bad". */
class GivenRequests implements EventSource<Request> {

  private final int count;

  GivenRequests(int count) {
    this.count = count;
  }

  @Override
  public String describe() {
    return "a list";
  }

  @Override
  public Future<Void> start(EventSink<Request> sink) {
    for (int i = 0; i < count; i++) {
      sink.add(new Request(i % 2 == 0 ? "bad" : "good", "o-" + i));
    }
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> stop() {
    return Future.succeededFuture();
  }
}
