// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: actions run in the order of their times, in nanoseconds from 0, and those of one
 * time in the order in which they were asked for. What an actor does waits while it is frozen, and
 * is dropped when it has crashed meanwhile.
 *
 * <p>Thread rule: one thread, that of {@link #runUntil}.
 */
final class Timeline {
  /** What can freeze and crash. */
  interface Actor {
    /** Returns which life it is in; a crash ends one. */
    int life();

    /** Returns until when it stands still; a time in the past when it does not. */
    long frozenUntil();
  }

  private record Event(long at, long order, @Nullable Actor actor, int life, Runnable action)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long order;

  long now() {
    return now;
  }

  /**
   * Runs an action later.
   *
   * @param time when; now when that is over
   * @param actor whose action it is, or null when nothing can keep it from running
   */
  void at(long time, @Nullable Actor actor, Runnable action) {
    int life = actor == null ? 0 : actor.life();
    events.add(new Event(Math.max(now, time), order++, actor, life, action));
  }

  /** Runs what there is, up to and including a time. */
  void runUntil(long end) {
    while (true) {
      Event event = events.peek();
      if (event == null || event.at > end) {
        return; // what is later stays for the next call
      }
      events.remove();
      now = event.at;
      Actor actor = event.actor;
      if (actor == null) {
        event.action.run();
      } else if (actor.life() == event.life) {
        if (actor.frozenUntil() > now) {
          at(actor.frozenUntil(), actor, event.action);
        } else {
          event.action.run();
        }
      }
    }
  }
}
