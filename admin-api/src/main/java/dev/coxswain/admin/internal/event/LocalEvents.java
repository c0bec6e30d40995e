// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.event.EventRing.Event;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of this replica for one stream. It keeps none of them, only its place in the ring: a
 * client that reads slowly gets them later, and is dropped when its place has left the ring.
 * Confined to the admin event loop.
 */
final class LocalEvents implements EventSource {

  private final String self;
  private final EventRing ring;
  private final Set<String> topics;
  private final @Nullable String controller;
  private final EventStream stream;
  private long place;
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
   * Begins.
   *
   * @param known the place after which to begin; null for the state of everything
   */
  void begin(@Nullable String known, boolean resumed) {
    Long seen = known == null ? null : ring.resume(known);
    begun = ring.last();
    if (seen != null) {
      place = seen;
      proceed();
      return;
    }
    if (resumed) {
      stream.reset(self);
    }
    for (Event event : ring.states()) {
      if (concerns(event)) {
        stream.tell(event.text());
      }
    }
    place = begun;
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
    return PeerAnswer.of(self, 200, null);
  }

  @Override
  public boolean settled() {
    return synced;
  }

  @Override
  public void proceed() {
    while (place < ring.last() && stream.takes()) {
      if (!ring.holdsAfter(place)) {
        stream.drop();
        return;
      }
      int[] left = {EventStream.CHUNK};
      ring.after(
          place,
          event -> {
            if (left[0] > 0) {
              place = event.number();
              if (concerns(event)) {
                left[0] -= event.text().length();
                stream.tell(self, ring.place(place), event.text());
              }
            }
          });
      stream.flush();
    }
    if (!stream.takes() && !ring.holdsAfter(place)) {
      stream.drop();
    } else if (!synced && place >= begun) {
      synced = true;
      stream.synced(self, ring.place(place));
    }
  }

  @Override
  public void pause() {
    // It hands over only what it is asked for.
  }

  @Override
  public void tick() {
    // It is never silent.
  }

  @Override
  public void close() {
    // It holds nothing.
  }
}
