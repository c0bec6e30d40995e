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
 * The events of another replica for one stream. What is lost is opened again, after what was heard
 * last, ever more slowly while that fails. Nothing is kept here: while the client does not read,
 * neither is the other replica read, and it closes when it cannot wait any longer. Confined to the
 * admin event loop.
 */
final class PeerEvents implements EventSource {

  private static final long FIRST_WAIT_MILLIS = 250;
  private static final long LONGEST_WAIT_MILLIS = 10_000;

  /** A replica says something with every heartbeat; so many may pass until it is given up. */
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
  private boolean told; // whether the client may know something of it
  private boolean opening;
  private boolean closed;
  private @Nullable HttpClientResponse body;
  private int attempt; // the last that was opened
  private boolean paused;
  private int silence;
  private long wait = FIRST_WAIT_MILLIS;
  private long timer = -1;

  /**
   * Creates what hears a replica.
   *
   * @param told whether the client may know something of it already
   */
  PeerEvents(Vertx vertx, Opener opener, EventStream stream, Peer peer, boolean told) {
    this.vertx = vertx;
    this.opener = opener;
    this.stream = stream;
    this.replica = peer.replica();
    this.peer = peer;
    this.told = told;
    this.answer =
        PeerAnswer.none(replica, PeerAnswer.State.TIMEOUT, "it has not told its state yet", true);
  }

  /** It may listen somewhere else now. */
  void moved(Peer now) {
    boolean elsewhere = !peer.equals(now);
    peer = now;
    if (elsewhere && timer >= 0) {
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
    String place = stream.place(replica);
    opener
        .open(peer, place == null ? null : replica + "=" + place)
        .onSuccess(opened -> opened(opened, place));
  }

  private void opened(Opened opened, @Nullable String place) {
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
    if (place == null && told) {
      stream.reset(replica);
    }
    EventParser parser = new EventParser(event -> heard(now, event));
    found.handler(part -> take(now, parser, part));
    found.exceptionHandler(failed -> ended(now, PeerStreams.describe(failed)));
    found.endHandler(end -> ended(now, "it has ended its stream of events"));
    paused = true;
    proceed();
  }

  /** Returns what an answer means that has no events: nothing was asked for that may be missing. */
  private PeerAnswer refusal(PeerAnswer answer) {
    return answer.ok()
        ? PeerAnswer.none(replica, PeerAnswer.State.REFUSED, "it answered " + answer.status(), true)
        : answer;
  }

  /** Returns whether a stream is the one that is read now, and not one before it. */
  private boolean current(int of) {
    return body != null && of == attempt;
  }

  private void take(int of, EventParser parser, Buffer part) {
    if (!current(of)) {
      return;
    }
    silence = 0;
    if (!parser.take(part)) {
      giveUp(PeerAnswer.State.INCOMPATIBLE, "one of its events is too long");
    }
    stream.flush();
  }

  private void heard(int of, EventParser.Event event) {
    if (!current(of)) {
      return; // it was given up for an event before
    }
    String place = place(event.id());
    switch (event.name()) {
      case EventStream.SYNCED -> {
        answer = PeerAnswer.of(replica, 200, null);
        settled = true;
        wait = FIRST_WAIT_MILLIS;
        stream.synced(replica, place);
      }
      case EventStream.RESET -> stream.reset(replica);
      case EventStream.PARTIAL -> {} // which replicas there are is said by who was asked
      case EventStream.UNAUTHORIZED -> {
        giveUp(PeerAnswer.State.REFUSED, "the caller may not listen to it any longer");
        stream.doubt();
      }
      default -> {
        told = true;
        if (place == null) {
          stream.tell(event.text());
        } else {
          stream.tell(replica, place, event.text());
        }
      }
    }
  }

  /** Another replica tells of itself alone, so there is one place in its ids. */
  private @Nullable String place(@Nullable String id) {
    return id != null && id.startsWith(replica + "=") ? id.substring(replica.length() + 1) : null;
  }

  private void ended(int of, String why) {
    if (current(of)) {
      lost(PeerAnswer.none(replica, PeerAnswer.State.UNREACHABLE, why, true));
    }
  }

  private void giveUp(PeerAnswer.State state, String why) {
    HttpClientResponse given = body;
    lost(PeerAnswer.none(replica, state, why, true));
    if (given != null) {
      PeerStreams.cancel(given);
    }
  }

  private void lost(PeerAnswer why) {
    body = null;
    if (closed) {
      return;
    }
    answer = why;
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
    if (paused && body != null && stream.takes()) {
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
      giveUp(PeerAnswer.State.TIMEOUT, "it has said nothing for too long");
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
