// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.http.StreamLimit;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerStreams;
import dev.coxswain.admin.internal.resource.Unowned;
import dev.coxswain.admin.spi.ControllerDirectory;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events about all changes, on all replicas. Changes are polled only while a stream is
 * open. Confined to the admin event loop.
 *
 * <p>Each stream of a client opens a stream of its own from every other replica, with the token of
 * the client: so the rights of the client apply everywhere, and a slow client slows no other one
 * down. Streams for other replicas are counted apart from those for clients.
 */
public final class EventFeed {

  private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

  static final int MAX_STREAMS = 20;
  public static final int MAX_STREAMS_PER_CALLER = 4;

  /** The limit of streams for other replicas; each of them may open as many as clients may. */
  public static final int MAX_PEER_STREAMS = 128;

  /** Few, since the bulkhead refuses reviews, and a stream whose review is refused ends. */
  private static final int MAX_RECHECKS = 8;

  private static final String TYPE = "text/event-stream";

  private final Context context;
  private final Vertx vertx;
  private final Intervals intervals;
  private final EventRing ring = new EventRing();
  private final EventWatch watch;
  private final ControllerDirectory directory;
  private final Cluster cluster;
  private final PeerStreams peers;
  private final Function<RequestContext, Future<Void>> mayContinue;
  private final StreamLimit open = new StreamLimit();
  private final Map<EventStream, Subscription> streams = new HashMap<>();
  private final List<Long> timers = new ArrayList<>();
  private final Deque<EventStream> toRecheck = new ArrayDeque<>();
  private int rechecks;

  /** The scope, topics and controller of a stream. */
  private record Subscription(
      ClusterScope scope, boolean own, Set<String> topics, @Nullable String controller) {

    /** Returns the topics of other replicas; the list of replicas comes from this one only. */
    Set<String> remoteTopics() {
      Set<String> remoteTopics = new TreeSet<>(topics);
      if (own) {
        remoteTopics.remove(EventWatch.REPLICAS);
      }
      return remoteTopics;
    }

    String path() {
      return ApiPaths.PEER_ROOT
          + "/events?topics="
          + String.join(",", remoteTopics())
          + (controller == null
              ? ""
              : "&controller=" + URLEncoder.encode(controller, StandardCharsets.UTF_8));
    }
  }

  /**
   * Creates a feed.
   *
   * @param mayContinue checks that the caller of a request still has the right to its stream;
   *     called again and again while a stream is open; a failure means no
   */
  public EventFeed(
      Context context,
      Intervals intervals,
      ControllerDirectory directory,
      OperationLog operations,
      Cluster cluster,
      PeerStreams peers,
      Function<RequestContext, Future<Void>> mayContinue) {
    this.context = context;
    this.vertx = context.owner();
    this.intervals = intervals;
    this.watch = new EventWatch(directory, operations, ring);
    this.directory = directory;
    this.cluster = cluster;
    this.peers = peers;
    this.mayContinue = mayContinue;
  }

  /** Opens a stream: of all replicas for a client, of this one for another replica. */
  public Future<Response> get(RequestContext exchange) {
    ClusterScope scope =
        exchange.ofReplica() ? new ClusterScope(true, null) : ClusterScope.take(exchange);
    Query query = exchange.query();
    Set<String> topics = query.some("topics", EventWatch.TOPICS);
    String controller = query.text("controller", 253);
    query.done();
    cluster.others(scope); // refuses an unknown replica
    Subscription subscription =
        new Subscription(
            scope,
            scope.covers(cluster.self()),
            topics == null ? EventWatch.TOPICS : topics,
            controller);
    String lastId = exchange.request().getHeader("Last-Event-ID");
    admit(exchange);
    return Future.succeededFuture(
        Response.stream(
            TYPE,
            response -> {
              EventStream stream = stream(exchange, response, subscription, lastId);
              begin(stream, subscription);
              return stream.ended();
            }));
  }

  private void admit(RequestContext exchange) {
    boolean peer = exchange.ofReplica();
    int replicas = peer ? Math.max(1, cluster.others().size()) : 1;
    int most = peer ? Math.min(MAX_PEER_STREAMS, MAX_STREAMS * replicas) : MAX_STREAMS;
    int each = MAX_STREAMS_PER_CALLER * replicas;
    if (!open.admit(exchange, most, each)) {
      throw Problem.tooMany(
              "too-many-streams",
              "Too many streams",
              "a replica serves at most "
                  + most
                  + " streams of events, "
                  + each
                  + " for one caller; close one",
              5)
          .rejection();
    }
  }

  private EventStream stream(
      RequestContext exchange,
      HttpServerResponse response,
      Subscription subscription,
      @Nullable String lastId) {
    Map<String, String> headers = Cluster.headers(exchange, TYPE);
    return new EventStream(
        vertx,
        exchange,
        response,
        cluster.self(),
        lastId,
        (peer, eventId) -> {
          Map<String, String> all = new HashMap<>(headers);
          if (eventId != null) {
            all.put("Last-Event-ID", eventId);
          }
          return peers.open(peer, subscription.path(), all, EventStream.SYNC_MILLIS);
        },
        answers ->
            subscription.scope().equals(ClusterScope.ALL)
                    && subscription.topics().contains(EventWatch.CONTROLLERS)
                ? Unowned.formerOwners(directory.snapshot().idle(), answers)
                : List.of(),
        this::recheck);
  }

  private void begin(EventStream stream, Subscription subscription) {
    poll(watch::pollAll);
    if (streams.isEmpty()) {
      every(intervals.coalesce().toMillis(), this::distribute);
      every(intervals.heartbeat().toMillis(), () -> streams().forEach(EventStream::heartbeat));
      every(intervals.recheck().toMillis(), this::recheckAll);
    }
    streams.put(stream, subscription);
    stream.ended().onComplete(ended -> remove(stream));
    stream.begin(
        subscription.own()
            ? new LocalEvents(
                cluster.self(), ring, subscription.topics(), subscription.controller(), stream)
            : null,
        subscription(subscription, cluster.others()));
  }

  private void every(long millis, Runnable action) {
    timers.add(vertx.setPeriodic(Math.max(1, millis), timer -> action.run()));
  }

  /** A copy, since a stream that ends leaves the list. */
  private List<EventStream> streams() {
    return List.copyOf(streams.keySet());
  }

  private void distribute() {
    poll(watch::poll);
    List<Peer> others = cluster.others();
    Map.copyOf(streams)
        .forEach((stream, subscription) -> {
          stream.others(subscription(subscription, others));
          stream.advance();
        });
  }

  private static List<Peer> subscription(Subscription subscription, List<Peer> others) {
    return subscription.scope().local() || subscription.remoteTopics().isEmpty()
        ? List.of()
        : others.stream().filter(peer -> subscription.scope().covers(peer.replica())).toList();
  }

  private void poll(Runnable poll) {
    try {
      poll.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("changes could not be read");
    }
  }

  private void recheckAll() {
    if (rechecks == 0) { // otherwise the last round is still running
      toRecheck.addAll(streams.keySet());
      for (int i = 0; i < MAX_RECHECKS; i++) {
        recheckNext();
      }
    }
  }

  private void recheckNext() {
    EventStream stream = toRecheck.poll();
    if (stream != null) {
      rechecks++;
      recheck(stream)
          .onComplete(done ->
              context.runOnContext(here -> {
                rechecks--;
                recheckNext();
              }));
    }
  }

  private Future<Void> recheck(EventStream stream) {
    return mayContinue
        .apply(stream.context())
        .onFailure(refused -> context.runOnContext(here -> stream.unauthorized()));
  }

  private void remove(EventStream stream) {
    streams.remove(stream);
    toRecheck.remove(stream);
    if (streams.isEmpty()) {
      timers.forEach(vertx::cancelTimer);
      timers.clear();
    }
  }
}
