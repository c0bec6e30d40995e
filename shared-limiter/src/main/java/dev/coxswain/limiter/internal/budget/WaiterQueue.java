// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The line in which the consumers of this replica stand. Who is served goes to the end.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class WaiterQueue {
  /** One consumer's place. */
  static final class Place {
    final String consumer;
    final Runnable wake;
    boolean queued;
    boolean woken;
    int waiting;
    long expectedAt;

    Place(String consumer, Runnable wake) {
      this.consumer = consumer;
      this.wake = wake;
    }
  }

  /**
   * Who does not come within this time of being called (its workers are busy, or its event loop
   * hangs) keeps its place but holds up nobody, and nothing is asked for on its behalf.
   */
  private static final long GRACE_NANOS = 50_000_000;

  private final ArrayDeque<Place> line = new ArrayDeque<>();
  private final List<Place> all = new ArrayList<>();

  void open(Place place) {
    all.add(place);
  }

  void close(Place place) {
    leave(place);
    all.remove(place);
  }

  void enter(Place place, int waiting, long now) {
    place.waiting = waiting;
    place.woken = false;
    place.expectedAt = now;
    if (!place.queued) {
      line.addLast(place);
      place.queued = true;
    }
  }

  void leave(Place place) {
    place.waiting = 0;
    if (place.queued) {
      line.remove(place);
      place.queued = false;
    }
  }

  /** Sends a place that was served to the end of the line, or away when nothing waits there. */
  void served(Place place) {
    line.remove(place);
    place.waiting--;
    place.queued = place.waiting > 0;
    if (place.queued) {
      line.addLast(place);
    }
  }

  /** Returns how many come before a place and are there to be served. */
  int before(Place place, long now) {
    int before = 0;
    for (Place other : line) {
      if (other == place) {
        break;
      }
      if (isPresent(other, now)) {
        before++;
      }
    }
    return before;
  }

  /** Returns how many retries could start if there were permits, no more than {@code most}. */
  int demand(int most, long now) {
    int demand = 0;
    for (Place place : line) {
      if (isPresent(place, now)) {
        demand = Math.min(most, demand + Math.min(most, place.waiting));
      }
    }
    return demand;
  }

  /** Returns the first places in the line that have not been called since they asked. */
  List<Place> call(int most, long now) {
    List<Place> called = new ArrayList<>();
    int seen = 0;
    for (Place place : line) {
      if (seen++ == most) {
        break;
      }
      if (!place.woken) {
        place.woken = true;
        place.expectedAt = now;
        called.add(place);
      }
    }
    return called;
  }

  private static boolean isPresent(Place place, long now) {
    return now - place.expectedAt <= GRACE_NANOS;
  }

  int waiting() {
    int waiting = 0;
    for (Place place : all) {
      waiting += place.waiting;
    }
    return waiting;
  }

  /** Returns how many retries of others are likely to be served before one at a position. */
  long othersBefore(Place place, int position) {
    long before = 0;
    for (Place other : line) {
      if (other != place) {
        before += Math.min(other.waiting, position);
      }
    }
    return before;
  }

  List<String> consumers() {
    List<String> names = new ArrayList<>();
    for (Place place : all) {
      names.add(place.consumer);
    }
    names.sort(null);
    return names;
  }
}
