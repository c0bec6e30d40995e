// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.value.ReplicaState;
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
 * The event stream of one client, with the events of one or more replicas. The events of each
 * replica are written in their order, with the last event id of each replica. While the client does
 * not read, the replicas are not read either. Confined to the admin event loop.
 */
final class EventStream {

  static final String SYNCED = "synced";
  static final String RESET = "reset";
  static final String PARTIAL = "partial";
  static final String UNAUTHORIZED = "unauthorized";

  /** The approximate number of bytes of one write. */
  static final int CHUNK = 16 * 1024;

  /** The time after which the client receives which replicas have not sent their state. */
  static final long SYNC_MILLIS = 5000;

  private final Vertx vertx;
  private final RequestContext context;
  private final HttpServerResponse response;
  private final String self;
  private final boolean resumed;
  private final LastEventIds lastIds;
  private final PeerEvents.Opener opener;
  private final UnaryOperator<List<PeerAnswer>> formerOwners;
  private final Consumer<EventStream> recheck;
  private final Map<String, ReplicaEvents> sources = new TreeMap<>(); // by replica
  private final Promise<Void> ended = Promise.promise();

  /** The replicas that have left; few. The client may still have their state. */
  private final Set<String> left = new HashSet<>();

  private List<Peer> peers = List.of();
  private Buffer pending = Buffer.buffer();
  private long timer = -1;
  private int first;
  private boolean ending; // the last event is being sent
  private boolean syncTimedOut;
  private boolean synced;
  private @Nullable Partial lastPartial; // the last event about missing replicas

  /**
   * Creates a stream, to be started with {@link #begin}.
   *
   * @param self the name of this replica
   * @param lastId the id of the last event that the client has received, or null
   * @param opener opens the streams of other replicas
   * @param formerOwners returns the former owners, other than the given replicas, of controllers without an
   *     owner
   * @param recheck receives the stream when its caller may have lost the right to it
   */
  EventStream(
      Vertx vertx,
      RequestContext context,
      HttpServerResponse response,
      String self,
      @Nullable String lastId,
      PeerEvents.Opener opener,
      UnaryOperator<List<PeerAnswer>> formerOwners,
      Consumer<EventStream> recheck) {
    this.vertx = vertx;
    this.context = context;
    this.response = response;
    this.self = self;
    this.resumed = lastId != null;
    this.lastIds = LastEventIds.of(lastId);
    this.opener = opener;
    this.formerOwners = formerOwners;
    this.recheck = recheck;
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
   * Starts the stream after the last event that the client has received.
   *
   * @param own the events of this replica, or null without them
   */
  void begin(@Nullable LocalEvents own, List<Peer> others) {
    response.setChunked(true).putHeader("X-Accel-Buffering", "no");
    response.closeHandler(closed -> end());
    response.exceptionHandler(failed -> end());
    response.drainHandler(drained -> advance());
    timer = vertx.setTimer(SYNC_MILLIS, due -> syncTimeout());
    heartbeat(); // starts the response before the other replicas respond
    if (own != null) {
      sources.put(self, own);
    }
    join(others, resumed);
    if (own != null) {
      own.begin(lastIds.get(self), resumed);
    }
    advance();
  }

  private void syncTimeout() {
    syncTimedOut = true;
    changed();
  }

  /** Sets the other replicas of the stream. */
  void others(List<Peer> now) {
    if (now.equals(peers) || over()) {
      return;
    }
    for (Peer before : peers) {
      if (now.stream().noneMatch(peer -> peer.replica().equals(before.replica()))) {
        ReplicaEvents formerOwners = sources.remove(before.replica());
        if (formerOwners != null) {
          formerOwners.close();
        }
        lastIds.remove(before.replica());
        left.add(before.replica());
      }
    }
    join(now, false);
    changed();
  }

  private void join(List<Peer> now, boolean known) {
    peers = now;
    for (Peer peer : now) {
      if (sources.get(peer.replica()) instanceof PeerEvents present) {
        present.update(peer);
      } else {
        boolean mayHaveState = known || left.contains(peer.replica());
        PeerEvents events = new PeerEvents(vertx, opener, this, peer, mayHaveState);
        sources.put(peer.replica(), events);
        events.open();
      }
    }
  }

  private boolean over() {
    return ending || ended.future().isComplete();
  }

  /** Returns whether the client can receive more now. */
  boolean writable() {
    return !over() && !response.writeQueueFull();
  }

  /** Returns the last event id of a replica, or null for a stream from the beginning. */
  @Nullable String eventId(String replica) {
    return lastIds.get(replica);
  }

  /** Writes an event without an id, so a client cannot continue after it. */
  void write(Buffer event) {
    pending.appendBuffer(event);
    if (pending.length() >= CHUNK) {
      flush();
    }
  }

  /** Writes an event with its id. */
  void write(String replica, String eventId, Buffer event) {
    lastIds.put(replica, eventId);
    appendId();
    write(event);
  }

  private void appendId() {
    String id = lastIds.id();
    if (!id.isEmpty()) {
      pending.appendString("id: ").appendString(id).appendString("\n");
    }
  }

  /** Tells the client to discard the state of a replica; its new state follows. */
  void reset(String replica) {
    lastIds.remove(replica);
    write(
        EventRing.text(
            RESET, new Reset(replica, "missed events are not available; the state follows")));
  }

  /**
   * A replica has sent its state up to an event id.
   *
   * @param eventId null without an id
   */
  void synced(String replica, @Nullable String eventId) {
    if (eventId != null) {
      lastIds.put(replica, eventId);
    }
    changed();
  }

  /** The state of a replica has changed. */
  void changed() {
    if (!writable()) {
      return; // written as soon as the client reads
    }
    boolean all = sources.values().stream().allMatch(ReplicaEvents::settled);
    if (synced || all || syncTimedOut) {
      writePartial();
      if (!synced) {
        synced = true;
        appendId();
        write(EventRing.text(SYNCED, Map.of("replica", self)));
      }
    }
    flush();
  }

  private void writePartial() {
    if (context.ofReplica()) {
      return; // another replica opens a stream from each replica itself
    }
    List<PeerAnswer> answers =
        new ArrayList<>(sources.values().stream().map(ReplicaEvents::answer).toList());
    answers.addAll(formerOwners.apply(answers));
    Partial now =
        new Partial(
            self, answers.stream().anyMatch(answer -> !answer.whole()), PeerAnswer.states(answers));
    if (!now.equals(lastPartial)) {
      lastPartial = now;
      write(EventRing.text(PARTIAL, now));
    }
  }

  private record Reset(String replica, String detail) {}

  /** The data of an event about the replicas that the stream has events of. */
  private record Partial(String replica, boolean partial, List<ReplicaState> replicas) {}

  /** Sends the pending events, and pauses the replicas while the client cannot receive more. */
  void flush() {
    if (pending.length() == 0 || over()) {
      return;
    }
    Buffer text = pending;
    pending = Buffer.buffer();
    response.write(text);
    if (response.writeQueueFull()) {
      sources.values().forEach(ReplicaEvents::pause);
    }
  }

  /** Writes new events while the client can receive them. */
  void advance() {
    List<ReplicaEvents> all = List.copyOf(sources.values());
    for (int i = 0; i < all.size() && !over(); i++) {
      all.get((first + i) % all.size()).proceed(); // another replica is first the next time
    }
    first = (first + 1) % Math.max(1, all.size());
    changed();
  }

  void heartbeat() {
    if (writable()) {
      response.write(Buffer.buffer(":hb\n\n"));
    }
    sources.values().forEach(ReplicaEvents::tick);
  }

  /** Checks the right of the caller again. */
  void recheckRight() {
    if (!over()) {
      recheck.accept(this);
    }
  }

  /** Sends the event {@code unauthorized}, and ends the stream. */
  void unauthorized() {
    if (!over()) {
      flush();
      ending = true;
      closeSources();
      response.end(EventRing.text(UNAUTHORIZED, Map.of("replica", self))).onComplete(sent -> end());
    }
  }

  /** Resets the stream of a client that is too slow; the client can open a new one. */
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
    sources.values().forEach(ReplicaEvents::close);
    sources.clear();
  }
}
