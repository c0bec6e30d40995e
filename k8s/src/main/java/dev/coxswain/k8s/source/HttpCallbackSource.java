// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.callback.ForwardClient;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A source whose requests come from an outside system over HTTP: it sends {@code POST} with any
 * body.
 *
 * <p>An accepted call is answered with 202: its requests are in the queue. Every call is bounded: a
 * larger body or more different keys than the options allow are answered with 413, for the keys
 * with a text that names the limit; more concurrent calls with 503; and keys that would overload
 * the controller with 429. The last two carry {@code Retry-After}. Such a call is accepted as a
 * whole or not at all, and refused calls are counted.
 *
 * <p>Each replica of a sharded controller accepts the keys that it owns, and sends a call with others
 * on to their owners, once: the same path, headers and body, so that each owner authenticates the
 * caller itself. The call is answered with 202 when all keys were accepted. Otherwise it is answered
 * with 503, {@code Retry-After} and a text with the others: the caller sends them again; a key that
 * is accepted twice is reconciled once more at most. Calls are sent on between sources on the
 * loopback interface, or to where the {@linkplain HttpCallbackOptions#announced announced address}
 * of the owner says. Keys must have a {@code toString} that tells them apart.
 *
 * <p>How many keys the queue already holds is not limited here: an authenticated caller that always
 * sends new ones fills it as fast as the controller does not finish them. {@code requests} should
 * only return keys that can exist.
 *
 * <p>Each source has a port of its own, on the loopback interface by default, without TLS: put a
 * TLS proxy in front of it.
 *
 * <p>Thread rule: started and stopped on the controller's event loop, where {@code requests} is
 * called as well and must not block; counters on any thread.
 *
 * @param <K> the type of the requests
 */
public final class HttpCallbackSource<K> implements EventSource<K> {

  private static final int IDLE_SECONDS = 10;

  private final HttpCallbackOptions options;
  private final Function<Buffer, ? extends Collection<K>> requests;
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final UserCode userCode;
  private @Nullable HttpServer server;
  private @Nullable EventSink<K> target;
  private @Nullable ForwardClient forwards;
  private int running;

  /**
   * Creates a source.
   *
   * @param options the address, authentication and limits
   * @param requests returns the requests of a body; an exception is answered with 400
   */
  public HttpCallbackSource(
      HttpCallbackOptions options, Function<Buffer, ? extends Collection<K>> requests) {
    this.options = Objects.requireNonNull(options, "options");
    this.requests = Objects.requireNonNull(requests, "requests");
    this.userCode = new UserCode("source", "callbacks " + options.path());
  }

  @Override
  public String describe() {
    return "callbacks at " + options.host() + ":" + port() + options.path();
  }

  /** Returns the bound port; that of the options while the source is not running. */
  public int port() {
    HttpServer open = server;
    return open == null ? options.port() : open.actualPort();
  }

  /**
   * Returns how many calls were refused: unauthenticated, too large, too many, with too many keys.
   */
  public long refused() {
    return refused.get();
  }

  /** Returns how many bodies could not be parsed. */
  public long failures() {
    return failures.get();
  }

  @Override
  public Future<Void> start(EventSink<K> sink) {
    if (server != null) {
      return Future.failedFuture(
          new IllegalStateException("the source " + describe() + " has been started before"));
    }
    Context context = Vertx.currentContext();
    if (context == null) {
      return Future.failedFuture(
          new IllegalStateException("an HTTP callback source must be started on an event loop"));
    }
    HttpServer created =
        context
            .owner()
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(options.host())
                    .setPort(options.port())
                    .setIdleTimeout(IDLE_SECONDS)
                    .setIdleTimeoutUnit(TimeUnit.SECONDS))
            .requestHandler(request -> take(request, sink));
    server = created;
    return created.listen().onSuccess(_ -> announce(context.owner(), sink)).mapEmpty();
  }

  /** Lets the same source on other replicas send calls on to this one. */
  private void announce(Vertx vertx, EventSink<K> sink) {
    String address = options.announced();
    if (address.isEmpty() && ForwardClient.isLoopback(options.host())) {
      String host = options.host();
      address = "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }
    if (sink.isSharded() && !address.isEmpty()) {
      target = sink;
      forwards = new ForwardClient(vertx, address);
      sink.announce(options.path(), address);
    }
  }

  @Override
  public Future<Void> stop() {
    HttpServer open = server;
    if (open == null) {
      return Future.succeededFuture();
    }
    EventSink<K> announced = target;
    if (announced != null) {
      announced.announce(options.path(), "");
    }
    ForwardClient client = forwards;
    return open.close()
        .eventually(() -> client == null ? Future.succeededFuture() : client.close());
  }

  private void take(HttpServerRequest request, EventSink<K> sink) {
    if (!options.path().equals(request.path())) {
      respond(request, 404);
    } else if (!request.method().equals(HttpMethod.POST)) {
      request.response().putHeader("Allow", "POST");
      respond(request, 405);
    } else if (running >= options.maxCalls()) {
      refuse(request, 503);
    } else if (sink.pending() >= EventSink.PENDING_HIGH_WATER) {
      refuse(request, 429);
    } else {
      read(request, sink);
    }
  }

  private void read(HttpServerRequest request, EventSink<K> sink) {
    Buffer body = Buffer.buffer();
    Runnable leave = enter();
    request.response().endHandler(done -> leave.run());
    // Without a response there is no end event: the caller has disconnected.
    request.response().closeHandler(gone -> leave.run());
    request.handler(part -> {
      if (request.response().ended()) {
        return;
      }
      if (body.length() + part.length() > options.maxBody()) {
        refuse(request, 413);
      } else {
        body.appendBuffer(part);
      }
    });
    request.endHandler(end -> {
      if (!request.response().ended()) {
        deliver(request, body, sink);
      }
    });
  }

  /** Counts a concurrent call; the returned action ends it, once. */
  private Runnable enter() {
    boolean[] inside = {true};
    running++;
    return () -> {
      if (inside[0]) {
        inside[0] = false;
        running--;
      }
    };
  }

  private void deliver(HttpServerRequest request, Buffer body, EventSink<K> sink) {
    try {
      if (!options.authentication().accepts(request.headers(), body)) {
        request.response().putHeader("WWW-Authenticate", options.authentication().challenge());
        refuse(request, 401);
        return;
      }
    } catch (Throwable e) {
      // The caller is not authenticated: the call is refused.
      failed("callback authentication failed, refusing the call", sink, e);
      refuse(request, 500);
      return;
    } finally {
      userCode.clearInterrupt("authentication", null);
    }
    Set<K> found;
    try {
      found = upTo(options.maxKeys() + 1, requests.apply(body));
    } catch (Throwable e) {
      failed("callback body not parsable", sink, e);
      respond(request, 400);
      return;
    } finally {
      userCode.clearInterrupt("requests", null);
    }
    if (found.size() > options.maxKeys()) {
      refuse(
          request, 413, "one call may contain " + options.maxKeys() + " keys: send several calls");
      return;
    }
    if (sink.pending() + found.size() > EventSink.PENDING_HIGH_WATER) {
      refuse(request, 429);
      return;
    }
    String trace = Objects.requireNonNullElse(request.getHeader("traceparent"), "");
    List<K> accepted = new ArrayList<>();
    List<K> foreign = new ArrayList<>();
    for (K key : found) {
      if (sink.owns(key)) {
        sink.add(key, EventSink.PRIORITY_NORMAL, Trigger.EVENT, trace);
        accepted.add(key);
      } else {
        foreign.add(key);
      }
    }
    if (request.headers().contains(ForwardClient.FORWARDED)) {
      respond(request, accepted.isEmpty() ? 503 : 202, ForwardClient.encode(accepted));
    } else if (foreign.isEmpty()) {
      respond(request, 202);
    } else {
      forward(request, body, foreign, sink);
    }
  }

  /** Sends a call on to the owners of its other keys, and responds when all have. */
  private void forward(HttpServerRequest request, Buffer body, List<K> foreign, EventSink<K> sink) {
    ForwardClient client = forwards;
    Map<String, List<K>> byAddress = new LinkedHashMap<>();
    List<K> left = new ArrayList<>();
    for (K key : foreign) {
      String address =
          client == null
              ? ""
              : sink.otherEndpoint(key, options.path()).filter(client::reaches).orElse("");
      if (address.isEmpty()) {
        left.add(key);
      } else {
        byAddress.computeIfAbsent(address, _ -> new ArrayList<>()).add(key);
      }
    }
    List<Future<?>> calls = new ArrayList<>();
    if (client != null) {
      byAddress.forEach((address, keys) ->
          calls.add(
              client
                  .forward(address, options.path(), request.headers(), body)
                  .onSuccess(taken ->
                      keys.stream()
                          .filter(key -> !taken.contains(String.valueOf(key)))
                          .forEach(left::add))));
    }
    Future.join(calls)
        .onComplete(_ -> {
          if (request.response().closed() || request.response().ended()) {
            return; // the caller has disconnected
          }
          if (left.isEmpty()) {
            respond(request, 202);
          } else {
            refuse(
                request,
                503,
                "other replicas own these keys, send them again: "
                    + left.stream().map(String::valueOf).collect(Collectors.joining(", ")));
          }
        });
  }

  private void failed(String message, EventSink<K> sink, Throwable cause) {
    failures.incrementAndGet();
    userCode.failed(message, null, cause);
    sink.userCodeFailed();
  }

  private static <K> Set<K> upTo(int limit, Collection<K> keys) {
    Set<K> different = new LinkedHashSet<>();
    for (K key : keys) {
      different.add(Objects.requireNonNull(key, "key"));
      if (different.size() == limit) {
        break;
      }
    }
    return different;
  }

  private void refuse(HttpServerRequest request, int status) {
    refuse(request, status, "");
  }

  private void refuse(HttpServerRequest request, int status, String why) {
    refused.incrementAndGet();
    if (status == 429 || status == 503) {
      request.response().putHeader("Retry-After", "1");
    }
    respond(request, status, why);
  }

  private static void respond(HttpServerRequest request, int status) {
    respond(request, status, "");
  }

  private static void respond(HttpServerRequest request, int status, String text) {
    request.response().setStatusCode(status).end(text);
  }
}
