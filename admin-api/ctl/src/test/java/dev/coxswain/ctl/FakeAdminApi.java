// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A fake admin API with scripted responses, which records the requests. For a request that accepts a table, the code
 * of the admin API makes one of the scripted JSON.
 */
public final class FakeAdminApi implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Queue<Reply>> replies = new ConcurrentHashMap<>();
  private final List<Received> received = new CopyOnWriteArrayList<>();

  /**
   * A request.
   *
   * @param what method and path with query, below /api/v1
   * @param headers first values, names in lower case
   * @param body its body
   */
  public record Received(String what, Map<String, String> headers, String body) {}

  /**
   * An answer.
   *
   * @param status its status
   * @param headers its headers
   * @param body its body
   * @param cut whether the connection is cut before the body is whole
   */
  public record Reply(int status, Map<String, String> headers, String body, boolean cut) {}

  public FakeAdminApi() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Answers a request so; given several times, in that order, the last one for ever. */
  public FakeAdminApi on(String what, int status, String body) {
    return on(what, new Reply(status, Map.of(), body, false));
  }

  public FakeAdminApi on(String what, Reply reply) {
    replies.computeIfAbsent(what, _ -> new ArrayDeque<>()).add(reply);
    return this;
  }

  public List<Received> received() {
    return received;
  }

  /** Returns the methods and paths of the requests. */
  List<String> requests() {
    return received.stream().map(Received::what).toList();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String what =
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestURI().toString().replaceFirst("^/api/v1", "");
    Map<String, String> headers = new ConcurrentHashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    received.add(new Received(what, headers, body));
    Reply reply = next(what);
    if (reply == null) {
      reply =
          new Reply(
              404,
              Map.of(),
              "{\"type\":\"https://coxswain.dev/problems/not-found\",\"title\":\"Not found\",\"detail\":\"%s\"}"
                  .formatted(what.replace("\"", "'")),
              false);
    }
    if (reply.status() == 200 && FakeTables.areAccepted(headers)) {
      reply = FakeTables.of(exchange.getRequestURI().getPath(), headers, reply);
    }
    byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
    reply.headers().forEach(exchange.getResponseHeaders()::set);
    if (!reply.headers().containsKey("Content-Type")) {
      exchange
          .getResponseHeaders()
          .set(
              "Content-Type",
              reply.status() < 400 ? "application/json" : "application/problem+json");
    }
    exchange.sendResponseHeaders(
        reply.status(), bytes.length == 0 ? -1 : bytes.length + (reply.cut() ? 1 : 0));
    exchange.getResponseBody().write(bytes);
    exchange.getResponseBody().flush();
    exchange.close();
  }

  private @Nullable Reply next(String what) {
    Queue<Reply> queue = replies.get(what);
    if (queue == null) {
      return null;
    }
    synchronized (queue) {
      return queue.size() > 1 ? queue.poll() : queue.peek();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
