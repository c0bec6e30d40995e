// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route of scrapes. Responses are rendered, and compressed for a client that accepts gzip, on
 * platform threads, few at a time.
 *
 * <p>Thread rule: called on the event loop of the server.
 */
public final class MetricsRoute implements Handler<HttpServerRequest> {

  private static final Logger LOG = LoggerFactory.getLogger(MetricsRoute.class);
  private static final int MAX_AT_ONCE = 4;

  private final Vertx vertx;
  private final HostMetrics metrics;

  /** Counts from the event loops of all connections and from the rendering threads. */
  private final AtomicInteger running = new AtomicInteger();

  /** Creates the route. */
  public MetricsRoute(Vertx vertx, HostMetrics metrics) {
    this.vertx = vertx;
    this.metrics = metrics;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (running.incrementAndGet() > MAX_AT_ONCE) {
      running.decrementAndGet();
      request.response().setStatusCode(503).putHeader("Retry-After", "1").end("busy\n");
      return;
    }
    Context context = vertx.getOrCreateContext();
    String accept = request.getHeader("Accept");
    String encodings = request.getHeader("Accept-Encoding");
    boolean compressed = encodings != null && encodings.contains("gzip");
    Thread.ofPlatform()
        .daemon()
        .name("scrape")
        .start(() -> {
          try {
            HostMetrics.Rendered rendered = metrics.scrape(accept);
            byte[] text = rendered.text().getBytes(StandardCharsets.UTF_8);
            Buffer body = Buffer.buffer(compressed ? gzip(text) : text);
            context.runOnContext(_ -> answer(request, rendered.contentType(), compressed, body));
          } catch (IOException | RuntimeException e) {
            LOG.atError().setCause(e).log("metrics cannot be rendered");
            context.runOnContext(_ -> request.response().setStatusCode(500).end());
          } finally {
            running.decrementAndGet();
          }
        });
  }

  private static void answer(
      HttpServerRequest request, String contentType, boolean compressed, Buffer body) {
    HttpServerResponse response = request.response();
    response.putHeader("Content-Type", contentType).putHeader("Vary", "Accept-Encoding");
    if (compressed) {
      response.putHeader("Content-Encoding", "gzip");
    }
    response.end(body);
  }

  private static byte[] gzip(byte[] text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length / 8);
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes, 16 * 1024)) {
      zip.write(text);
    }
    return bytes.toByteArray();
  }
}
