// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.internal.UserCode;
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
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets an outside system say over HTTP what is to be reconciled: it sends {@code POST} with
 * whatever body it has to say it with.
 *
 * <p>A call that is taken is answered with 202: what it named is in the queue. Every call is
 * bounded: a larger body or more different keys than the options allow are answered with 413, and
 * for the keys with a text that names the limit; more calls at once with 503; and keys that would
 * set the controller back too far with 429. The last two carry {@code Retry-After}. A call is taken
 * as a whole or not at all, and what is refused is counted.
 *
 * <p>How many keys the queue holds already is not limited here: a caller who is believed and
 * invents new ones all the time fills it as far as the controller does not finish them. Let {@code
 * requests} name nothing but what can exist.
 *
 * <p>Each source listens on a port of its own, on the loopback interface unless told otherwise,
 * without TLS: put what ends TLS in front of it.
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
  private int running;

  /**
   * Creates a source.
   *
   * @param options where to listen and whom to believe
   * @param requests finds in a body what is to be reconciled; what throws is answered with 400
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

  /** Returns the port that this listens on; what the options say while it does not. */
  public int port() {
    HttpServer open = server;
    return open == null ? options.port() : open.actualPort();
  }

  /**
   * Returns how many calls were not taken: unauthenticated, too large, too many, with too many
   * keys.
   */
  public long refused() {
    return refused.get();
  }

  /** Returns how many bodies could not be understood. */
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
    return created.listen().mapEmpty();
  }

  @Override
  public Future<Void> stop() {
    HttpServer open = server;
    return open == null ? Future.succeededFuture() : open.close();
  }

  private void take(HttpServerRequest request, EventSink<K> sink) {
    if (!options.path().equals(request.path())) {
      answer(request, 404);
    } else if (!request.method().equals(HttpMethod.POST)) {
      request.response().putHeader("Allow", "POST");
      answer(request, 405);
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
    // Without an answer there is no end: the caller has gone away.
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

  /** Counts a call; what is returned counts it out again, once. */
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
      // Who calls is unknown: nothing is taken.
      failed("callback could not be authenticated and is refused", sink, e);
      refuse(request, 500);
      return;
    } finally {
      userCode.clearInterrupt("authentication", null);
    }
    Set<K> found;
    try {
      found = upTo(options.maxKeys() + 1, requests.apply(body));
    } catch (Throwable e) {
      failed("callback cannot be understood", sink, e);
      answer(request, 400);
      return;
    } finally {
      userCode.clearInterrupt("requests", null);
    }
    if (found.size() > options.maxKeys()) {
      refuse(request, 413, "one call may name " + options.maxKeys() + " keys: send several calls");
      return;
    }
    if (sink.pending() + found.size() > EventSink.PENDING_HIGH_WATER) {
      refuse(request, 429);
      return;
    }
    found.forEach(key -> sink.add(key, EventSink.PRIORITY_NORMAL, Trigger.EVENT));
    answer(request, 202);
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
    answer(request, status, why);
  }

  private static void answer(HttpServerRequest request, int status) {
    answer(request, status, "");
  }

  private static void answer(HttpServerRequest request, int status, String text) {
    request.response().setStatusCode(status).end(text);
  }
}
