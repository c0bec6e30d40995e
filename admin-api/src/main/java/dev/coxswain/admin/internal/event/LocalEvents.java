// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.event.EventRing.Event;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of this replica for one stream. It keeps only its position in the ring: a slow client
 * receives the events later, and its stream is reset when the position has left the ring. Confined
 * to the admin event loop.
 */
final class LocalEvents implements ReplicaEvents {

  private final String self;
  private final EventRing ring;
  private final Set<String> topics;
  private final @Nullable String controller;
  private final EventStream stream;
  private long position;
  private long begun;
  private boolean synced;

  LocalEvents(
      String self,
      EventRing ring,
      Set<String> topics,
      @Nullable String controller,
      EventStream stream) {
    this.self = self;
    this.ring = ring;
    this.topics = topics;
    this.controller = controller;
    this.stream = stream;
  }

  /**
   * Starts delivery.
   *
   * @param known the event id after which to start; null for the state of all topics
   */
  void begin(@Nullable String known, boolean resumed) {
    Long seen = known == null ? null : ring.resume(known);
    begun = ring.last();
    if (seen != null) {
      position = seen;
      proceed();
      return;
    }
    if (resumed) {
      stream.reset(self);
    }
    for (Event event : ring.states()) {
      if (concerns(event)) {
        stream.write(event.text());
      }
    }
    position = begun;
    proceed();
  }

  private boolean concerns(Event event) {
    return topics.contains(event.topic())
        && (controller == null
            || event.controller() == null // a limiter, or the list of replicas
            || controller.equals(event.controller()));
  }

  @Override
  public PeerAnswer answer() {
    return PeerAnswer.self(self);
  }

  @Override
  public boolean settled() {
    return synced;
  }

  @Override
  public void proceed() {
    while (position < ring.last() && stream.writable()) {
      if (!ring.holdsAfter(position)) {
        stream.drop();
        return;
      }
      int[] left = {EventStream.CHUNK};
      ring.after(
          position,
          event -> {
            if (left[0] > 0) {
              position = event.number();
              if (concerns(event)) {
                left[0] -= event.text().length();
                stream.write(self, ring.eventId(position), event.text());
              }
            }
          });
      stream.flush();
    }
    if (!stream.writable() && !ring.holdsAfter(position)) {
      stream.drop();
    } else if (!synced && position >= begun) {
      synced = true;
      stream.synced(self, ring.eventId(position));
    }
  }

  @Override
  public void pause() {
    // It delivers only on request.
  }

  @Override
  public void tick() {
    // It needs no check for silence.
  }

  @Override
  public void close() {
    // It has no resources.
  }
}
