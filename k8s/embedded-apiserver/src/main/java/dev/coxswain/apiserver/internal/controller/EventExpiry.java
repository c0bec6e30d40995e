// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Deletes events some time after they were last written, whichever of their two APIs wrote them;
 * confined to the server's event loop.
 */
public final class EventExpiry {
  /** Events that one call of {@link #sweep} deletes, so that requests are handled in between. */
  static final int SLICE = 200;

  private static final String STORAGE = "/events";

  private final ObjectStore store;
  private final ResourceType events;
  private final Duration timeToLive;
  private final InstantSource clock;

  /** When each event expires; in the order of their last writes, which is that of these times. */
  private final Map<String, Instant> deadlines = new LinkedHashMap<>();

  /**
   * Creates the expiry and listens to {@code store}; events that are there already count as new.
   */
  public EventExpiry(
      ResourceRegistry registry, ObjectStore store, Duration timeToLive, InstantSource clock) {
    this.store = store;
    this.events = Objects.requireNonNull(registry.type("", "events"));
    this.timeToLive = timeToLive;
    this.clock = clock;
    Instant deadline = clock.instant().plus(timeToLive);
    store.collection(events).range("").keySet().forEach(key -> deadlines.put(key, deadline));
    store.onChange(this::changed);
  }

  private void changed(ObjectCollection collection, Change change) {
    if (collection.storage().equals(STORAGE)) {
      String key = change.current().key();
      deadlines.remove(key); // a write moves an event to the end
      if (!change.deleted()) {
        deadlines.put(key, clock.instant().plus(timeToLive));
      }
    }
  }

  /** Deletes events whose time is over, a slice at most; true when there are more. */
  public boolean sweep() {
    Instant now = clock.instant();
    ObjectCollection collection = store.collection(events);
    for (int i = 0; i < SLICE; i++) {
      Iterator<Map.Entry<String, Instant>> oldest = deadlines.entrySet().iterator();
      Map.Entry<String, Instant> next = oldest.hasNext() ? oldest.next() : null;
      if (next == null || next.getValue().isAfter(now)) {
        return false;
      }
      String key = next.getKey();
      int slash = key.indexOf('/');
      StoredObject event = collection.get(key.substring(0, slash), key.substring(slash + 1));
      if (event == null) {
        oldest.remove();
      } else {
        store.delete(collection, event); // which takes it out of the map
      }
    }
    return true;
  }
}
