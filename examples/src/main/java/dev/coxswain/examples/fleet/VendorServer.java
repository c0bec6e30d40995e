// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The API of the vendor: a small HTTP server that takes its time, limits the rate of requests and
 * can have an outage.
 *
 * <ul>
 *   <li>{@code PUT /machines/NAME} with a version, {@code GET}, {@code DELETE}.
 *   <li>{@code PUT /outage/on} and {@code /outage/off}: meanwhile each request is answered with 503.
 *   <li>{@code GET /statistics}: how many requests were accepted, refused by the limit (429) and by
 *       the outage (503).
 * </ul>
 *
 * <p>Thread rule: any thread.
 */
public final class VendorServer implements AutoCloseable {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final VendorLimit limit;
  private final Duration latency;
  private final Map<String, String> machines = new ConcurrentHashMap<>();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong limited = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  // Set by a request, read by all others.
  private volatile boolean outage;

  /**
   * Starts a server on a free port of the loopback interface.
   *
   * @param latency how long each response takes
   * @param ratePerSecond how many requests it accepts per second; a second's worth at once
   */
  public VendorServer(Duration latency, int ratePerSecond) throws IOException {
    this.latency = latency;
    this.limit = new VendorLimit(ratePerSecond);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(executor);
    server.createContext("/machines/", this::machine);
    server.createContext("/outage/", this::outage);
    server.createContext("/statistics", exchange -> respond(exchange, OK, statistics()));
    server.start();
  }

  /** Returns the address. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Begins or ends an outage. */
  public void outage(boolean begins) {
    outage = begins;
  }

  /** Returns the version of each machine. */
  public Map<String, String> machines() {
    return Map.copyOf(machines);
  }

  /** Returns how many requests were refused because there were too many. */
  public long limited() {
    return limited.get();
  }

  /** Returns how many requests were refused during outages. */
  public long refused() {
    return refused.get();
  }

  private String statistics() {
    return "{\"machines\":%d,\"accepted\":%d,\"limited\":%d,\"refused\":%d,\"outage\":%b}\n"
        .formatted(machines.size(), accepted.get(), limited.get(), refused.get(), outage);
  }

  private void outage(HttpExchange exchange) throws IOException {
    outage = exchange.getRequestURI().getPath().endsWith("/on");
    respond(exchange, OK, statistics());
  }

  private void machine(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    // The response is delayed, not the thread.
    CompletableFuture.delayedExecutor(latency.toMillis(), TimeUnit.MILLISECONDS, executor)
        .execute(() -> machine(exchange, body));
  }

  private void machine(HttpExchange exchange, String body) {
    try {
      if (outage) {
        refused.incrementAndGet();
        respond(exchange, UNAVAILABLE, "outage\n");
      } else if (!limit.tryAcquire(System.nanoTime())) {
        limited.incrementAndGet();
        exchange.getResponseHeaders().set("Retry-After", "1");
        respond(exchange, TOO_MANY_REQUESTS, "too many requests\n");
      } else {
        accepted.incrementAndGet();
        change(exchange, body);
      }
    } catch (IOException e) {
      exchange.close(); // the caller has gone
    }
  }

  private void change(HttpExchange exchange, String body) throws IOException {
    String name = exchange.getRequestURI().getPath().substring("/machines/".length());
    String version =
        switch (exchange.getRequestMethod()) {
          case "PUT" -> {
            machines.put(name, body);
            yield body;
          }
          case "DELETE" -> machines.remove(name);
          default -> machines.get(name);
        };
    respond(exchange, version == null ? NOT_FOUND : OK, version == null ? "none\n" : version);
  }

  private static void respond(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
