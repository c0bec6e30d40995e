// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** In front of an API server, records the {@code traceparent} of each request. */
final class HeaderProxy implements AutoCloseable {

  /** One request. */
  record Seen(String request, String traceParent) {}

  private final Vertx vertx = Vertx.vertx();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final HttpClient client = vertx.createHttpClient();
  private final HttpServer server;
  private final URI target;

  HeaderProxy(String target) {
    this.target = URI.create(target);
    server = vertx.createHttpServer().requestHandler(this::forward).listen(0, "127.0.0.1").await();
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  List<Seen> seen() {
    return seen;
  }

  private void forward(HttpServerRequest request) {
    seen.add(
        new Seen(
            request.method() + " " + request.path(),
            String.valueOf(request.getHeader("traceparent"))));
    request.pause();
    client
        .request(
            new RequestOptions()
                .setHost(target.getHost())
                .setPort(target.getPort())
                .setMethod(request.method())
                .setURI(request.uri())
                .setHeaders(request.headers()))
        .compose(sent -> sent.send(request))
        .onSuccess(response -> {
          request.response().setStatusCode(response.statusCode());
          request.response().headers().setAll(response.headers());
          if (response.getHeader("Content-Length") == null) {
            request.response().setChunked(true);
          }
          request.response().closeHandler(_ -> response.request().reset());
          response.pipeTo(request.response());
        })
        .onFailure(_ -> request.response().setStatusCode(502).end());
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
