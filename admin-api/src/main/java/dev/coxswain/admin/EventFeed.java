// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events about everything that changes. Changes are looked for only while somebody
 * listens. Confined to the admin event loop.
 */
final class EventFeed {

  private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

  static final int MAX_STREAMS = 20;
  static final int MAX_STREAMS_PER_CALLER = 4;

  private final Context context;
  private final Vertx vertx;
  private final Pace pace;
  private final EventRing ring = new EventRing();
  private final EventWatch watch;
  private final Function<Exchange, Future<Boolean>> mayGoOn;
  private final List<Exchange> open = new ArrayList<>();
  private final List<EventStream> streams = new ArrayList<>();
  private final List<Long> timers = new ArrayList<>();

  /**
   * Creates a feed.
   *
   * @param mayGoOn tells whether the caller of a request may still listen to what it asked for;
   *     asked again and again while a stream is open, and a failure means no
   */
  EventFeed(
      Context context,
      Pace pace,
      ControllerDirectory directory,
      OperationLog operations,
      Function<Exchange, Future<Boolean>> mayGoOn) {
    this.context = context;
    this.vertx = context.owner();
    this.pace = pace;
    this.watch = new EventWatch(directory, operations, ring);
    this.mayGoOn = mayGoOn;
  }

  Future<Reply> get(Exchange exchange) {
    Query query = exchange.query();
    Set<String> asked = query.some("topics", EventWatch.TOPICS);
    String controller = query.text("controller", 253);
    query.done();
    String lastId = exchange.request().getHeader("Last-Event-ID");
    admit(exchange);
    Set<String> topics = asked == null ? EventWatch.TOPICS : asked;
    return Future.succeededFuture(
        Reply.stream(
            "text/event-stream",
            response -> {
              EventStream stream = new EventStream(exchange, response, ring, topics, controller);
              begin(stream, lastId);
              return stream.ended();
            }));
  }

  private void admit(Exchange exchange) {
    long mine = open.stream().filter(other -> other.caller().equals(exchange.caller())).count();
    if (open.size() >= MAX_STREAMS || mine >= MAX_STREAMS_PER_CALLER) {
      throw Problem.of(
              429,
              "too-many-streams",
              "Too many streams",
              "a replica serves at most "
                  + MAX_STREAMS
                  + " streams of events, "
                  + MAX_STREAMS_PER_CALLER
                  + " for one caller; close one")
          .with("Retry-After", "5")
          .rejection();
    }
    open.add(exchange);
    exchange.atEnd(() -> open.remove(exchange));
  }

  private void begin(EventStream stream, @Nullable String lastId) {
    look(watch::lookAtAll);
    if (streams.isEmpty()) {
      every(pace.coalesce().toMillis(), this::spread);
      every(pace.heartbeat().toMillis(), () -> streams().forEach(EventStream::heartbeat));
      every(pace.recheck().toMillis(), () -> streams().forEach(this::recheck));
    }
    streams.add(stream);
    stream.ended().onComplete(ended -> leave(stream));
    stream.begin(lastId);
  }

  private void every(long millis, Runnable action) {
    timers.add(vertx.setPeriodic(Math.max(1, millis), timer -> action.run()));
  }

  /** A copy, since a stream that ends leaves the list. */
  private List<EventStream> streams() {
    return List.copyOf(streams);
  }

  private void spread() {
    look(watch::look);
    streams().forEach(EventStream::advance);
  }

  private void look(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("Changes could not be looked for");
    }
  }

  private void recheck(EventStream stream) {
    mayGoOn
        .apply(stream.exchange())
        .onComplete((allowed, failure) -> {
          if (failure != null || !allowed) {
            context.runOnContext(here -> stream.unauthorized());
          }
        });
  }

  private void leave(EventStream stream) {
    streams.remove(stream);
    if (streams.isEmpty()) {
      timers.forEach(vertx::cancelTimer);
      timers.clear();
    }
  }
}
