// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One client that hears events, of one or more replicas. What replicas tell is written in the order
 * in which each tells it, with the places up to which each was heard. While the client does not
 * read, no replica is read for it. Confined to the admin event loop.
 */
final class EventStream {

  static final String SYNCED = "synced";
  static final String RESET = "reset";
  static final String PARTIAL = "partial";
  static final String UNAUTHORIZED = "unauthorized";

  /** About so many bytes are written at once. */
  static final int CHUNK = 16 * 1024;

  /** How long replicas have to tell their state until the client hears which have not. */
  static final long SYNC_MILLIS = 5000;

  private final Vertx vertx;
  private final RequestContext context;
  private final HttpServerResponse response;
  private final String self;
  private final boolean resumed;
  private final LastEventIds places;
  private final PeerEvents.Opener opener;
  private final UnaryOperator<List<PeerAnswer>> gone;
  private final Consumer<EventStream> doubts;
  private final Map<String, EventSource> sources = new TreeMap<>(); // by replica
  private final Promise<Void> ended = Promise.promise();

  /** The replicas that are gone; few. A client may not have received that yet. */
  private final Set<String> left = new HashSet<>();

  private List<Peer> peers = List.of();
  private Buffer pending = Buffer.buffer();
  private long timer = -1;
  private int turn;
  private boolean ending; // the last event is on its way
  private boolean late;
  private boolean synced;
  private String heard = ""; // what the client was told last of who is heard

  /**
   * Creates a stream, which {@link #begin} begins.
   *
   * @param self the name of this replica
   * @param lastId the id of the event that the client has heard last, or null
   * @param opener opens the streams of other replicas
   * @param gone returns the replicas besides those that answer whose controllers have no owner now
   * @param doubts is told when the caller may have lost the right to listen
   */
  EventStream(
      Vertx vertx,
      RequestContext context,
      HttpServerResponse response,
      String self,
      @Nullable String lastId,
      PeerEvents.Opener opener,
      UnaryOperator<List<PeerAnswer>> gone,
      Consumer<EventStream> doubts) {
    this.vertx = vertx;
    this.context = context;
    this.response = response;
    this.self = self;
    this.resumed = lastId != null;
    this.places = LastEventIds.of(lastId);
    this.opener = opener;
    this.gone = gone;
    this.doubts = doubts;
  }

  /** Returns the request that opened it. */
  RequestContext context() {
    return context;
  }

  /** Completes when nothing more will be written. */
  Future<Void> ended() {
    return ended.future();
  }

  /**
   * Begins, after what the client has heard last.
   *
   * @param own the events of this replica, or null when they are not meant
   */
  void begin(@Nullable LocalEvents own, List<Peer> others) {
    response.setChunked(true).putHeader("X-Accel-Buffering", "no");
    response.closeHandler(closed -> end());
    response.exceptionHandler(failed -> end());
    response.drainHandler(drained -> advance());
    timer = vertx.setTimer(SYNC_MILLIS, due -> givePatienceUp());
    heartbeat(); // so that the answer begins, however long the others take
    if (own != null) {
      sources.put(self, own);
    }
    join(others, resumed);
    if (own != null) {
      own.begin(places.get(self), resumed);
    }
    advance();
  }

  private void givePatienceUp() {
    late = true;
    changed();
  }

  /** Tells of these other replicas from now on. */
  void others(List<Peer> now) {
    if (now.equals(peers) || over()) {
      return;
    }
    for (Peer before : peers) {
      if (now.stream().noneMatch(peer -> peer.replica().equals(before.replica()))) {
        EventSource gone = sources.remove(before.replica());
        if (gone != null) {
          gone.close();
        }
        places.forget(before.replica());
        left.add(before.replica());
      }
    }
    join(now, false);
    changed();
  }

  private void join(List<Peer> now, boolean told) {
    peers = now;
    for (Peer peer : now) {
      if (sources.get(peer.replica()) instanceof PeerEvents present) {
        present.moved(peer);
      } else {
        boolean known = told || left.contains(peer.replica());
        PeerEvents events = new PeerEvents(vertx, opener, this, peer, known);
        sources.put(peer.replica(), events);
        events.open();
      }
    }
  }

  private boolean over() {
    return ending || ended.future().isComplete();
  }

  /** Returns whether the client takes more now. */
  boolean takes() {
    return !over() && !response.writeQueueFull();
  }

  /** Returns up to where a replica was heard, or null when it begins anew. */
  @Nullable String place(String replica) {
    return places.get(replica);
  }

  /** Writes an event after which nothing could be continued yet. */
  void tell(Buffer event) {
    pending.appendBuffer(event);
    if (pending.length() >= CHUNK) {
      flush();
    }
  }

  /** Writes the event that a replica has at a place. */
  void tell(String replica, String place, Buffer event) {
    places.at(replica, place);
    appendId();
    tell(event);
  }

  private void appendId() {
    String id = places.id();
    if (!id.isEmpty()) {
      pending.appendString("id: ").appendString(id).appendString("\n");
    }
  }

  /** What the client knows of a replica counts no longer; its state follows. */
  void reset(String replica) {
    places.forget(replica);
    ObjectNode data = Json.object().put("replica", Json.clean(replica));
    tell(EventRing.text(RESET, data.put("detail", "what followed is not known any more")));
  }

  /**
   * A replica has told everything up to a place.
   *
   * @param place null when it cannot be continued there
   */
  void synced(String replica, @Nullable String place) {
    if (place != null) {
      places.at(replica, place);
    }
    changed();
  }

  /** A replica is heard, or is not any longer. */
  void changed() {
    if (!takes()) {
      return; // it is told as soon as the client reads
    }
    boolean all = sources.values().stream().allMatch(EventSource::settled);
    if (synced || all || late) {
      tellWhoIsHeard();
      if (!synced) {
        synced = true;
        appendId();
        tell(EventRing.text(SYNCED, Json.object().put("replica", Json.clean(self))));
      }
    }
    flush();
  }

  private void tellWhoIsHeard() {
    if (context.ofReplica()) {
      return; // it knows, since it asks each of us
    }
    List<PeerAnswer> answers =
        new ArrayList<>(sources.values().stream().map(EventSource::answer).toList());
    answers.addAll(gone.apply(answers));
    ObjectNode data = Cluster.mark(Json.object(), self, answers);
    String now = data.toString();
    if (!now.equals(heard)) {
      heard = now;
      tell(EventRing.text(PARTIAL, data));
    }
  }

  /** Sends what was told; the replicas wait when the client does not take it. */
  void flush() {
    if (pending.length() == 0 || over()) {
      return;
    }
    Buffer text = pending;
    pending = Buffer.buffer();
    response.write(text);
    if (response.writeQueueFull()) {
      sources.values().forEach(EventSource::pause);
    }
  }

  /** Writes what is new, as much as the client takes. */
  void advance() {
    List<EventSource> all = List.copyOf(sources.values());
    for (int i = 0; i < all.size() && !over(); i++) {
      all.get((turn + i) % all.size()).proceed(); // another one is first the next time
    }
    turn = (turn + 1) % Math.max(1, all.size());
    changed();
  }

  void heartbeat() {
    if (takes()) {
      response.write(Buffer.buffer(":hb\n\n"));
    }
    sources.values().forEach(EventSource::tick);
  }

  /** The caller may have lost the right to listen. */
  void doubt() {
    if (!over()) {
      doubts.accept(this);
    }
  }

  /** Tells the client that it may not listen any longer, and ends. */
  void unauthorized() {
    if (!over()) {
      flush();
      ending = true;
      closeSources();
      response
          .end(EventRing.text(UNAUTHORIZED, Json.object().put("replica", Json.clean(self))))
          .onComplete(sent -> end());
    }
  }

  /** Cuts the line of a client that is too slow; it may come back and begins anew then. */
  void drop() {
    end();
    response.reset(0);
  }

  private void end() {
    if (ended.tryComplete()) {
      closeSources();
    }
  }

  private void closeSources() {
    vertx.cancelTimer(timer);
    sources.values().forEach(EventSource::close);
    sources.clear();
  }
}
