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
 * Server-sent events about everything that changes, on any replica. Changes are looked for only
 * while somebody listens. Confined to the admin event loop.
 *
 * <p>Each stream of a client has one of its own from every other replica, with the token of that
 * client: so the rights are those of the client everywhere, and one that reads slowly slows nobody
 * else down. What replicas ask each other for is counted apart from what clients ask for.
 */
public final class EventFeed {

  private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

  static final int MAX_STREAMS = 20;
  public static final int MAX_STREAMS_PER_CALLER = 4;

  /** Each other replica may ask for as many as clients may; all of them together for so many. */
  public static final int MAX_PEER_STREAMS = 128;

  /** More than a few reviews at a time are refused, and a stream whose review is refused ends. */
  private static final int MAX_RECHECKS = 8;

  private static final String TYPE = "text/event-stream";

  private final Context context;
  private final Vertx vertx;
  private final Intervals pace;
  private final EventRing ring = new EventRing();
  private final EventWatch watch;
  private final ControllerDirectory directory;
  private final Cluster cluster;
  private final PeerStreams peers;
  private final Function<RequestContext, Future<Void>> mayGoOn;
  private final StreamLimit open = new StreamLimit();
  private final Map<EventStream, Meant> streams = new HashMap<>();
  private final List<Long> timers = new ArrayList<>();
  private final Deque<EventStream> toRecheck = new ArrayDeque<>();
  private int rechecks;

  /** What a stream is about. */
  private record Meant(
      ClusterScope scope, boolean own, Set<String> topics, @Nullable String controller) {

    /** Returns what the other replicas are asked for: of which replicas there are, one tells. */
    Set<String> elsewhere() {
      Set<String> elsewhere = new TreeSet<>(topics);
      if (own) {
        elsewhere.remove(EventWatch.REPLICAS);
      }
      return elsewhere;
    }

    String path() {
      return ApiPaths.PEER_ROOT
          + "/events?topics="
          + String.join(",", elsewhere())
          + (controller == null
              ? ""
              : "&controller=" + URLEncoder.encode(controller, StandardCharsets.UTF_8));
    }
  }

  /**
   * Creates a feed.
   *
   * @param mayGoOn tells whether the caller of a request may still listen to what it asked for;
   *     asked again and again while a stream is open, and a failure means no
   */
  public EventFeed(
      Context context,
      Intervals pace,
      ControllerDirectory directory,
      OperationLog operations,
      Cluster cluster,
      PeerStreams peers,
      Function<RequestContext, Future<Void>> mayGoOn) {
    this.context = context;
    this.vertx = context.owner();
    this.pace = pace;
    this.watch = new EventWatch(directory, operations, ring);
    this.directory = directory;
    this.cluster = cluster;
    this.peers = peers;
    this.mayGoOn = mayGoOn;
  }

  /** Opens a stream: of all replicas for a client, of this one for another replica. */
  public Future<Response> get(RequestContext exchange) {
    ClusterScope scope =
        exchange.ofReplica() ? new ClusterScope(true, null) : ClusterScope.take(exchange);
    Query query = exchange.query();
    Set<String> asked = query.some("topics", EventWatch.TOPICS);
    String controller = query.text("controller", 253);
    query.done();
    cluster.others(scope); // refuses a replica that there is not
    Meant meant =
        new Meant(
            scope,
            scope.covers(cluster.self()),
            asked == null ? EventWatch.TOPICS : asked,
            controller);
    String lastId = exchange.request().getHeader("Last-Event-ID");
    admit(exchange);
    return Future.succeededFuture(
        Response.stream(
            TYPE,
            response -> {
              EventStream stream = stream(exchange, response, meant, lastId);
              begin(stream, meant);
              return stream.ended();
            }));
  }

  private void admit(RequestContext exchange) {
    boolean peer = exchange.ofReplica();
    int replicas = peer ? Math.max(1, cluster.others().size()) : 1;
    int most = peer ? Math.min(MAX_PEER_STREAMS, MAX_STREAMS * replicas) : MAX_STREAMS;
    int each = MAX_STREAMS_PER_CALLER * replicas;
    if (!open.admit(exchange, most, each)) {
      throw Problem.of(
              429,
              "too-many-streams",
              "Too many streams",
              "a replica serves at most "
                  + most
                  + " streams of events, "
                  + each
                  + " for one caller; close one")
          .with("Retry-After", "5")
          .rejection();
    }
  }

  private EventStream stream(
      RequestContext exchange, HttpServerResponse response, Meant meant, @Nullable String lastId) {
    Map<String, String> headers = Cluster.headers(exchange, TYPE);
    return new EventStream(
        vertx,
        exchange,
        response,
        cluster.self(),
        lastId,
        (peer, place) -> {
          Map<String, String> all = new HashMap<>(headers);
          if (place != null) {
            all.put("Last-Event-ID", place);
          }
          return peers.open(peer, meant.path(), all, EventStream.SYNC_MILLIS);
        },
        answers ->
            meant.scope().equals(ClusterScope.ALL)
                    && meant.topics().contains(EventWatch.CONTROLLERS)
                ? Unowned.gone(directory.snapshot().idle(), answers)
                : List.of(),
        this::recheck);
  }

  private void begin(EventStream stream, Meant meant) {
    look(watch::lookAtAll);
    if (streams.isEmpty()) {
      every(pace.coalesce().toMillis(), this::spread);
      every(pace.heartbeat().toMillis(), () -> streams().forEach(EventStream::heartbeat));
      every(pace.recheck().toMillis(), this::recheckAll);
    }
    streams.put(stream, meant);
    stream.ended().onComplete(ended -> leave(stream));
    stream.begin(
        meant.own()
            ? new LocalEvents(cluster.self(), ring, meant.topics(), meant.controller(), stream)
            : null,
        meant(meant, cluster.others()));
  }

  private void every(long millis, Runnable action) {
    timers.add(vertx.setPeriodic(Math.max(1, millis), timer -> action.run()));
  }

  /** A copy, since a stream that ends leaves the list. */
  private List<EventStream> streams() {
    return List.copyOf(streams.keySet());
  }

  private void spread() {
    look(watch::look);
    List<Peer> others = cluster.others();
    Map.copyOf(streams)
        .forEach((stream, meant) -> {
          stream.others(meant(meant, others));
          stream.advance();
        });
  }

  private static List<Peer> meant(Meant meant, List<Peer> others) {
    return meant.scope().local() || meant.elsewhere().isEmpty()
        ? List.of()
        : others.stream().filter(peer -> meant.scope().covers(peer.replica())).toList();
  }

  private void look(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("Changes could not be looked for");
    }
  }

  private void recheckAll() {
    if (rechecks == 0) { // otherwise the round before still goes on
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
    return mayGoOn
        .apply(stream.context())
        .onFailure(refused -> context.runOnContext(here -> stream.unauthorized()));
  }

  private void leave(EventStream stream) {
    streams.remove(stream);
    toRecheck.remove(stream);
    if (streams.isEmpty()) {
      timers.forEach(vertx::cancelTimer);
      timers.clear();
    }
  }
}
