// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A source whose start and stop end when its test wants it. */
final class StagedSource extends SilentSource {
  final Promise<Void> synced = Promise.promise();
  Future<Void> end = Future.succeededFuture();
  int starts;
  int stops;
  @Nullable String problem;
  private final String name;
  private @Nullable EventSink<Request> sink;

  StagedSource(String name) {
    this.name = name;
  }

  /** Returns a source that syncs at once. */
  static StagedSource synced(String name) {
    StagedSource source = new StagedSource(name);
    source.synced.complete();
    return source;
  }

  boolean isRunning() {
    return starts == 1 && stops == 0;
  }

  void deliver(Request request) {
    Objects.requireNonNull(sink).add(request);
  }

  @Override
  public String describe() {
    return name;
  }

  @Override
  public Future<Void> start(EventSink<Request> to) {
    starts++;
    sink = to;
    return synced.future();
  }

  @Override
  public Future<Void> stop() {
    stops++;
    return end;
  }

  @Override
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  @Override
  public boolean holds(Request request) {
    return request.name().equals(name);
  }
}
