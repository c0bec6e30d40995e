// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.PeerStreams;
import dev.coxswain.admin.internal.peer.PeerStreams.Opened;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The events of another replica for one stream. A lost stream is opened again after its last event,
 * with growing delays. Events are not buffered: while the client does not read, the other replica
 * is not read either, and closes the stream when its buffer is full. Confined to the admin event
 * loop.
 */
final class PeerEvents implements ReplicaEvents {

  private static final long FIRST_WAIT_MILLIS = 250;
  private static final long LONGEST_WAIT_MILLIS = 10_000;

  /** The number of heartbeats without data after which the stream of a replica is closed. */
  private static final int MAX_SILENCE = 4;

  /** Opens the events of a replica, after an id or from the beginning. */
  @FunctionalInterface
  interface Opener {
    Future<Opened> open(Peer peer, @Nullable String lastId);
  }

  private final Vertx vertx;
  private final Opener opener;
  private final EventStream stream;
  private final String replica;
  private Peer peer;
  private PeerAnswer answer;
  private boolean settled;
  private boolean known; // whether the client may have some of its state
  private boolean opening;
  private boolean closed;
  private @Nullable HttpClientResponse body;
  private int attempt; // the number of the last stream
  private boolean paused;
  private int silence;
  private long wait = FIRST_WAIT_MILLIS;
  private long timer = -1;

  /**
   * Creates the source; {@link #open} starts it.
   *
   * @param known whether the client may have some of its state already
   */
  PeerEvents(Vertx vertx, Opener opener, EventStream stream, Peer peer, boolean known) {
    this.vertx = vertx;
    this.opener = opener;
    this.stream = stream;
    this.replica = peer.replica();
    this.peer = peer;
    this.known = known;
    this.answer =
        PeerAnswer.none(replica, PeerAnswer.State.TIMEOUT, "it has not sent its state yet", true);
  }

  /** Sets the current address of the replica. */
  void update(Peer now) {
    boolean changed = !peer.equals(now);
    peer = now;
    if (changed && timer >= 0) {
      wait = FIRST_WAIT_MILLIS;
      open();
    }
  }

  void open() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
    if (closed || opening || body != null) {
      return;
    }
    opening = true;
    String eventId = stream.eventId(replica);
    opener
        .open(peer, eventId == null ? null : replica + "=" + eventId)
        .onSuccess(opened -> opened(opened, eventId));
  }

  private void opened(Opened opened, @Nullable String eventId) {
    opening = false;
    HttpClientResponse found = opened.body();
    if (found == null) {
      lost(refusal(opened.answer()));
      return;
    }
    if (closed) {
      PeerStreams.cancel(found);
      return;
    }
    body = found;
    silence = 0;
    int now = ++attempt;
    if (eventId == null && known) {
      stream.reset(replica);
    }
    EventParser parser = new EventParser(event -> received(now, event));
    found.handler(part -> receive(now, parser, part));
    found.exceptionHandler(failed -> ended(now, PeerStreams.describe(failed)));
    found.endHandler(end -> ended(now, "it ended its event stream"));
    paused = true;
    proceed();
  }

  /** Returns the failure for a response without events: the subscription must not be incomplete. */
  private PeerAnswer refusal(PeerAnswer answer) {
    return answer.ok()
        ? PeerAnswer.none(replica, PeerAnswer.State.REFUSED, "it answered " + answer.status(), true)
        : answer;
  }

  /** Returns whether a number is that of the current stream. */
  private boolean current(int of) {
    return body != null && of == attempt;
  }

  private void receive(int of, EventParser parser, Buffer part) {
    if (!current(of)) {
      return;
    }
    silence = 0;
    if (!parser.take(part)) {
      abort(PeerAnswer.State.INCOMPATIBLE, "one of its events is too long");
    }
    stream.flush();
  }

  private void received(int of, EventParser.Event event) {
    if (!current(of)) {
      return; // an earlier event has ended the stream
    }
    String eventId = eventId(event.id());
    switch (event.name()) {
      case EventStream.SYNCED -> {
        answer = PeerAnswer.self(replica);
        settled = true;
        wait = FIRST_WAIT_MILLIS;
        stream.synced(replica, eventId);
      }
      case EventStream.RESET -> stream.reset(replica);
      case EventStream.PARTIAL -> {} // only the replica of the client's stream lists the replicas
      case EventStream.UNAUTHORIZED -> {
        abort(PeerAnswer.State.REFUSED, "the caller no longer has the right to its events");
        stream.recheckRight();
      }
      default -> {
        known = true;
        if (eventId == null) {
          stream.write(event.text());
        } else {
          stream.write(replica, eventId, event.text());
        }
      }
    }
  }

  /** Returns the event id of the replica, which is the only one in its ids. */
  private @Nullable String eventId(@Nullable String id) {
    return id != null && id.startsWith(replica + "=") ? id.substring(replica.length() + 1) : null;
  }

  private void ended(int of, String reason) {
    if (current(of)) {
      lost(PeerAnswer.none(replica, PeerAnswer.State.UNREACHABLE, reason, true));
    }
  }

  private void abort(PeerAnswer.State state, String reason) {
    HttpClientResponse given = body;
    lost(PeerAnswer.none(replica, state, reason, true));
    if (given != null) {
      PeerStreams.cancel(given);
    }
  }

  private void lost(PeerAnswer reason) {
    body = null;
    if (closed) {
      return;
    }
    answer = reason;
    settled = true;
    long millis = wait * 3 / 4 + ThreadLocalRandom.current().nextLong(wait / 2);
    timer = vertx.setTimer(millis, due -> open());
    wait = Math.min(LONGEST_WAIT_MILLIS, wait * 2);
    stream.changed();
  }

  @Override
  public PeerAnswer answer() {
    return answer;
  }

  @Override
  public boolean settled() {
    return settled;
  }

  @Override
  public void proceed() {
    if (paused && body != null && stream.writable()) {
      paused = false;
      silence = 0;
      body.resume();
    }
  }

  @Override
  public void pause() {
    if (!paused && body != null) {
      paused = true;
      body.pause();
    }
  }

  @Override
  public void tick() {
    if (body != null && !paused && ++silence > MAX_SILENCE) {
      abort(PeerAnswer.State.TIMEOUT, "it sent nothing for too long");
    }
  }

  @Override
  public void close() {
    closed = true;
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
    HttpClientResponse open = body;
    body = null;
    if (open != null) {
      PeerStreams.cancel(open);
    }
  }
}
