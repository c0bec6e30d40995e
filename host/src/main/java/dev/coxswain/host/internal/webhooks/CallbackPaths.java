// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.k8s.callback.CallbackServer;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The paths of sources on the server of webhooks, which starts with the first one.
 *
 * <p>Thread rule: any thread.
 */
final class CallbackPaths implements CallbackServer {

  private final Map<String, Handler<HttpServerRequest>> handlers = new ConcurrentHashMap<>();
  private final WebhookDirectory webhooks;
  private final Supplier<Future<?>> start;
  private final IntSupplier port;
  private final Supplier<Peers> peers;

  /**
   * How replicas reach each other.
   *
   * @param address where they reach this one
   * @param identity by what they recognize each other; empty before there is a certificate
   */
  record Peers(String address, Optional<Identity> identity) {}

  /**
   * Creates the paths of a server.
   *
   * @param webhooks what else has paths on the server
   * @param start starts the server, unless it runs; called on any thread
   * @param port returns its port
   */
  CallbackPaths(
      WebhookDirectory webhooks,
      Supplier<Future<?>> start,
      IntSupplier port,
      Supplier<Peers> peers) {
    this.webhooks = webhooks;
    this.start = start;
    this.port = port;
    this.peers = peers;
  }

  /** Returns what serves a path, or null. */
  @Nullable Handler<HttpServerRequest> find(@Nullable String path) {
    return path == null ? null : handlers.get(path);
  }

  @Override
  public Future<Void> serve(String path, Handler<HttpServerRequest> calls) {
    if (!webhooks.claim(path)) {
      return Future.failedFuture(
          new IllegalStateException(
              "the path \"%s\" is in use on the server of webhooks; give the source another one"
                  .formatted(path)));
    }
    handlers.put(path, calls);
    return start.get().<Void>mapEmpty().onFailure(_ -> remove(path, calls));
  }

  @Override
  public Future<Void> withdraw(String path, Handler<HttpServerRequest> calls) {
    remove(path, calls);
    return Future.succeededFuture();
  }

  private void remove(String path, Handler<HttpServerRequest> calls) {
    if (handlers.remove(path, calls)) {
      webhooks.unclaim(path);
    }
  }

  @Override
  public int port() {
    return port.getAsInt();
  }

  @Override
  public String address() {
    return peers.get().address();
  }

  @Override
  public Optional<Identity> identity() {
    return peers.get().identity();
  }
}
