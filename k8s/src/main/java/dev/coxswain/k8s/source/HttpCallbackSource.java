// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets an outside system say over HTTP what is to be reconciled: it sends {@code POST} with
 * whatever body it has to say it with.
 *
 * <p>A call that is taken is answered with 202: what it named is in the queue. Everything is
 * bounded: the size of a body, the number of calls at once, and how far the controller may be
 * behind; a caller beyond that is answered with 429 or 503 and {@code Retry-After}. Each source
 * listens on a port of its own, on the loopback interface unless told otherwise, without TLS: put
 * what ends TLS in front of it.
 *
 * <p>Thread rule: started and stopped on the controller's event loop, where {@code requests} is
 * called as well and must not block; counters on any thread.
 *
 * @param <K> the type of the requests
 */
public final class HttpCallbackSource<K> implements EventSource<K> {

  private static final Logger log = LoggerFactory.getLogger(HttpCallbackSource.class);
  private static final int IDLE_SECONDS = 10;

  private final HttpCallbackOptions options;
  private final Function<Buffer, ? extends Collection<K>> requests;
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
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

  /** Returns how many calls were not taken: unauthenticated, too large, too many. */
  public long refused() {
    return refused.get();
  }

  /** Returns how many bodies could not be understood. */
  public long failures() {
    return failures.get();
  }

  @Override
  public Future<Void> start(EventSink<K> sink) {
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
    if (!options.authentication().accepts(request.headers(), body)) {
      request.response().putHeader("WWW-Authenticate", options.authentication().challenge());
      refuse(request, 401);
      return;
    }
    Collection<K> found;
    try {
      found = requests.apply(body);
    } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
      long count = failures.incrementAndGet();
      // The 1st, 2nd, 4th, 8th ... time: a caller must not be able to fill the log.
      if (Long.bitCount(count) == 1) {
        log.atWarn()
            .addKeyValue("source", describe())
            .addKeyValue("count", count)
            .setCause(e)
            .log("callback cannot be understood");
      }
      answer(request, 400);
      return;
    }
    found.forEach(key -> sink.add(key, EventSink.PRIORITY_NORMAL, Trigger.EVENT));
    answer(request, 202);
  }

  private void refuse(HttpServerRequest request, int status) {
    refused.incrementAndGet();
    if (status == 429 || status == 503) {
      request.response().putHeader("Retry-After", "1");
    }
    answer(request, status);
  }

  private static void answer(HttpServerRequest request, int status) {
    request.response().setStatusCode(status).end();
  }
}
