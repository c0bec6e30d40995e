// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import dev.coxswain.k8s.callback.CallbackServer;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/** Serves nothing: controllers that are only built do not start their sources. */
final class UnusedCallbackServer implements CallbackServer {

  @Override
  public Future<Void> serve(String path, Handler<HttpServerRequest> calls) {
    return Future.failedFuture("nothing is served while rights are found");
  }

  @Override
  public Future<Void> withdraw(String path, Handler<HttpServerRequest> calls) {
    return Future.succeededFuture();
  }

  @Override
  public int port() {
    return 0;
  }

  @Override
  public String address() {
    return "";
  }

  @Override
  public Optional<Identity> identity() {
    return Optional.empty();
  }
}
