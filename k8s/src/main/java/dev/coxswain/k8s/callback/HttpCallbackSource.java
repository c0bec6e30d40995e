// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.ShardedSink;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
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
 * of the owner says. Keys must have a {@code toString} that is different for each.
 *
 * <p>How many keys the queue already holds is not limited here: an authenticated caller that always
 * sends new ones fills it as fast as the controller does not finish them. {@code requests} should
 * only return keys that can exist.
 *
 * <p>A source has a port of its own, on the loopback interface by default, without TLS and with at
 * most 256 connections (fewer when the process may open few files), or a path on a {@link
 * CallbackServer}: that of a host has TLS.
 *
 * <p>Thread rule: started and stopped on the controller's event loop, where {@code requests} is
 * called as well and must not block; counters on any thread.
 *
 * @param <K> the type of the requests
 */
public final class HttpCallbackSource<K> implements EventSource<K> {

  private final HttpCallbackOptions options;
  private final CallbackServer server;
  private final Function<Buffer, ? extends Collection<K>> requests;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final UserCode userCode;
  private @Nullable Handler<HttpServerRequest> calls;
  private boolean stopped;
  private @Nullable ShardedSink<K> target;
  private @Nullable ForwardClient forwards;

  /**
   * Creates a source with a port of its own.
   *
   * @param options the address, authentication and limits
   * @param requests returns the requests of a body; an exception is answered with 400
   */
  public HttpCallbackSource(
      HttpCallbackOptions options, Function<Buffer, ? extends Collection<K>> requests) {
    this(new PortServer(options.host(), options.port()), options, requests);
  }

  /**
   * Creates a source on a server that it shares with others.
   *
   * @param options the path, authentication and limits; host and port are those of the server
   * @param requests returns the requests of a body; an exception is answered with 400
   */
  public HttpCallbackSource(
      CallbackServer server,
      HttpCallbackOptions options,
      Function<Buffer, ? extends Collection<K>> requests) {
    this.server = Objects.requireNonNull(server, "server");
    this.options = Objects.requireNonNull(options, "options");
    this.requests = Objects.requireNonNull(requests, "requests");
    this.userCode = new UserCode("source", "callbacks " + options.path());
  }

  @Override
  public String describe() {
    String address = server.address();
    return "callbacks at "
        + (address.isEmpty() ? options.host() + ":" + port() : address)
        + options.path();
  }

  /** Returns the bound port; that of the options while the source is not running. */
  public int port() {
    return server.port();
  }

  /**
   * Returns how many calls were refused: unauthenticated, too large, too slow, too many, with too many
   * keys.
   */
  public long refused() {
    return refused.get();
  }

  /** Returns how many bodies could not be parsed. */
  public long failures() {
    return failures.get();
  }

  @Override
  public Future<Void> start(EventSink<K> to) {
    ShardedSink<K> sink = ShardedSink.of(to);
    if (calls != null) {
      return Future.failedFuture(
          new IllegalStateException("the source " + describe() + " has been started before"));
    }
    Context context = Vertx.currentContext();
    if (context == null) {
      return Future.failedFuture(
          new IllegalStateException("an HTTP callback source must be started on an event loop"));
    }
    Handler<HttpServerRequest> handler = request -> receive(request, sink, context);
    calls = handler;
    Promise<Void> started = Promise.promise();
    // A shared server completes this on an event loop of its own.
    server
        .serve(options.path(), handler)
        .onComplete(serving ->
            context.runOnContext(_ -> {
              if (serving.succeeded() && !stopped) {
                announce(context.owner(), sink);
              }
              started.handle(serving);
            }));
    return started.future();
  }

  /** Lets the same source on other replicas send calls on to this one. */
  private void announce(Vertx vertx, ShardedSink<K> sink) {
    String address = options.announced().isEmpty() ? server.address() : options.announced();
    if (sink.isSharded() && !address.isEmpty()) {
      target = sink;
      forwards =
          new ForwardClient(
              vertx, address, options.announced().isEmpty() ? server::identity : Optional::empty);
      sink.announce(options.path(), address);
    }
  }

  @Override
  public Future<Void> stop() {
    stopped = true;
    Handler<HttpServerRequest> handler = calls;
    if (handler == null) {
      return Future.succeededFuture();
    }
    ShardedSink<K> announced = target;
    if (announced != null) {
      announced.announce(options.path(), "");
    }
    ForwardClient client = forwards;
    return server
        .withdraw(options.path(), handler)
        .eventually(() -> client == null ? Future.succeededFuture() : client.close());
  }

  /** Reads a call on the event loop of the server. */
  private void receive(HttpServerRequest request, ShardedSink<K> sink, Context context) {
    running.incrementAndGet();
    CallbackCall call = new CallbackCall(request, running::decrementAndGet);
    if (!request.method().equals(HttpMethod.POST)) {
      call.respond(405, "Allow", "POST", "");
    } else if (running.get() > options.maxCalls()) {
      refuse(call, 503);
    } else if (sink.pending() >= EventSink.PENDING_HIGH_WATER) {
      refuse(call, 429);
    } else {
      call.read(
          options.maxBody(),
          status -> refuse(call, status),
          body -> context.runOnContext(_ -> deliver(call, body, sink)));
    }
  }

  private void deliver(CallbackCall call, Buffer body, ShardedSink<K> sink) {
    HttpServerRequest request = call.request();
    try {
      if (!options.authentication().accepts(request.headers(), body)) {
        refused.incrementAndGet();
        call.respond(401, "WWW-Authenticate", options.authentication().challenge(), "");
        return;
      }
    } catch (Throwable e) {
      // The caller is not authenticated: the call is refused.
      failed("callback authentication failed, refusing the call", sink, e);
      refuse(call, 500);
      return;
    } finally {
      userCode.clearInterrupt("authentication", null);
    }
    Set<K> found;
    try {
      found = upTo(options.maxKeys() + 1, requests.apply(body));
    } catch (Throwable e) {
      failed("callback body not parsable", sink, e);
      respond(call, 400);
      return;
    } finally {
      userCode.clearInterrupt("requests", null);
    }
    if (found.size() > options.maxKeys()) {
      refuse(call, 413, "one call may contain " + options.maxKeys() + " keys: send several calls");
      return;
    }
    if (sink.pending() + found.size() > EventSink.PENDING_HIGH_WATER) {
      refuse(call, 429);
      return;
    }
    String trace = Objects.requireNonNullElse(request.getHeader("traceparent"), "");
    Map<K, Future<Boolean>> offers = new LinkedHashMap<>();
    for (K key : found) {
      offers.put(key, sink.offer(key, trace));
    }
    Future.join(List.copyOf(offers.values())).onComplete(_ -> respond(call, body, offers, sink));
  }

  /** Responds by what came of the keys: the queue alone decides which of them are accepted. */
  private void respond(
      CallbackCall call, Buffer body, Map<K, Future<Boolean>> offers, ShardedSink<K> sink) {
    List<K> accepted = new ArrayList<>();
    List<K> foreign = new ArrayList<>();
    List<K> refused = new ArrayList<>();
    offers.forEach((key, offer) -> {
      if (offer.result()) {
        accepted.add(key);
      } else {
        (sink.owns(key) ? refused : foreign).add(key);
      }
    });
    if (call.request().headers().contains(ForwardClient.FORWARDED)) {
      respond(call, accepted.isEmpty() ? 503 : 202, ForwardClient.encode(accepted));
    } else if (!refused.isEmpty()) {
      refuse(call, 503, "the controller is stopping here, send these keys again: " + text(refused));
    } else if (foreign.isEmpty()) {
      respond(call, 202);
    } else {
      forward(call, body, foreign, sink);
    }
  }

  private static String text(List<?> keys) {
    return keys.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  /** Sends a call on to the owners of its other keys, and responds when all have. */
  private void forward(CallbackCall call, Buffer body, List<K> foreign, ShardedSink<K> sink) {
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
                  .forward(address, options.path(), call.request().headers(), body)
                  .onSuccess(taken ->
                      keys.stream()
                          .filter(key -> !taken.contains(String.valueOf(key)))
                          .forEach(left::add))));
    }
    Future.join(calls)
        .onComplete(_ -> {
          if (left.isEmpty()) {
            respond(call, 202);
          } else {
            refuse(call, 503, "other replicas own these keys, send them again: " + text(left));
          }
        });
  }

  private void failed(String message, ShardedSink<K> sink, Throwable cause) {
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

  private void refuse(CallbackCall call, int status) {
    refuse(call, status, "");
  }

  private void refuse(CallbackCall call, int status, String why) {
    refused.incrementAndGet();
    boolean later = status == 429 || status == 503;
    call.respond(status, later ? "Retry-After" : "", "1", why);
  }

  private static void respond(CallbackCall call, int status) {
    respond(call, status, "");
  }

  private static void respond(CallbackCall call, int status, String text) {
    call.respond(status, "", "", text);
  }
}
