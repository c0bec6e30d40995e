// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * An HTTP server whose responses a test computes; one request at a time.
 *
 * <p>Thread rule: any thread.
 */
public final class CannedServer implements AutoCloseable {

  /** A response. */
  public record Answer(int status, String body) {}

  private final HttpServer server;

  /** Starts a server on a free port of the loopback interface. */
  public CannedServer(Function<HttpExchange, Answer> answers) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", exchange -> send(exchange, answers.apply(exchange)));
    server.start();
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Returns the address of this server. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
