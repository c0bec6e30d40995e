// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.EventRing.Event;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One client that hears events. It keeps no events of its own, only its place in the ring: a client
 * that reads slowly gets them later, and is dropped when its place has left the ring. Confined to
 * the admin event loop.
 */
final class EventStream {

  private static final int CHUNK = 16 * 1024;

  private final Exchange exchange;
  private final HttpServerResponse response;
  private final EventRing ring;
  private final Set<String> topics;
  private final @Nullable String controller;
  private final Promise<Void> ended = Promise.promise();
  private long place;

  EventStream(
      Exchange exchange,
      HttpServerResponse response,
      EventRing ring,
      Set<String> topics,
      @Nullable String controller) {
    this.exchange = exchange;
    this.response = response;
    this.ring = ring;
    this.topics = topics;
    this.controller = controller;
  }

  /** Returns the request that opened it. */
  Exchange exchange() {
    return exchange;
  }

  /** Completes when nothing more will be written. */
  Future<Void> ended() {
    return ended.future();
  }

  /** Begins, after the event with the id that the client has seen last. */
  void begin(@Nullable String lastId) {
    response.setChunked(true).putHeader("X-Accel-Buffering", "no");
    response.closeHandler(closed -> ended.tryComplete());
    response.exceptionHandler(failed -> ended.tryComplete());
    response.drainHandler(drained -> advance());
    Long seen = lastId == null ? null : ring.resume(lastId);
    if (seen != null) {
      place = seen;
      heartbeat();
      advance();
      return;
    }
    Buffer text = Buffer.buffer();
    if (lastId != null) {
      text.appendBuffer(
          EventRing.text(
              "reset",
              Json.object().put("detail", "what followed that event is not known any more")));
    }
    for (Event event : ring.states()) {
      if (concerns(event)) {
        text.appendBuffer(event.text());
      }
      if (text.length() >= CHUNK) {
        response.write(text);
        text = Buffer.buffer();
      }
    }
    place = ring.last();
    response.write(
        text.appendBuffer(ring.id(place)).appendBuffer(EventRing.text("synced", Json.object())));
  }

  private boolean concerns(Event event) {
    return topics.contains(event.topic())
        && (controller == null
            || !event.topic().equals(EventWatch.CONTROLLERS)
            || controller.equals(event.key()));
  }

  /** Writes what is new, as much as the client takes. */
  void advance() {
    while (!ended.future().isComplete() && place < ring.last() && !response.writeQueueFull()) {
      if (!ring.holdsAfter(place)) {
        drop();
        return;
      }
      Buffer text = Buffer.buffer();
      ring.after(
          place,
          event -> {
            if (text.length() < CHUNK) {
              place = event.number();
              if (concerns(event)) {
                text.appendBuffer(ring.id(place)).appendBuffer(event.text());
              }
            }
          });
      if (text.length() > 0) {
        response.write(text);
      }
    }
    if (response.writeQueueFull() && !ring.holdsAfter(place)) {
      drop();
    }
  }

  void heartbeat() {
    if (!ended.future().isComplete() && !response.writeQueueFull()) {
      response.write(":hb\n\n");
    }
  }

  /** Tells the client that it may not listen any longer, and ends. */
  void unauthorized() {
    if (!ended.future().isComplete()) {
      response
          .end(EventRing.text("unauthorized", Json.object()))
          .onComplete(sent -> ended.tryComplete());
    }
  }

  /** Cuts the line of a client that is too slow; it may come back and begins anew then. */
  private void drop() {
    ended.tryComplete();
    response.reset(0);
  }
}
