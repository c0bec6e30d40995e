// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The waiters of this replica, served in turn: a waiter that got a token moves to the end.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class WaiterQueue {
  /** One waiter, with its state in the queue. */
  static final class QueuedWaiter {
    final String consumer;
    final Runnable wake;
    boolean queued;
    boolean woken;
    int waiting;
    long expectedAt;

    QueuedWaiter(String consumer, Runnable wake) {
      this.consumer = consumer;
      this.wake = wake;
    }
  }

  /**
   * A waiter that makes no request within this time after it was woken (its workers are busy, or
   * its event loop is blocked) keeps its position, but others are served before it and no permits
   * are requested for it.
   */
  private static final long PRESENCE_NANOS = 50_000_000;

  private final ArrayDeque<QueuedWaiter> queue = new ArrayDeque<>();
  private final List<QueuedWaiter> all = new ArrayList<>();

  void open(QueuedWaiter waiter) {
    all.add(waiter);
  }

  void close(QueuedWaiter waiter) {
    leave(waiter);
    all.remove(waiter);
  }

  void enter(QueuedWaiter waiter, int waiting, long now) {
    waiter.waiting = waiting;
    waiter.woken = false;
    waiter.expectedAt = now;
    if (!waiter.queued) {
      queue.addLast(waiter);
      waiter.queued = true;
    }
  }

  void leave(QueuedWaiter waiter) {
    waiter.waiting = 0;
    if (waiter.queued) {
      queue.remove(waiter);
      waiter.queued = false;
    }
  }

  /** Moves a served waiter to the end of the queue, or removes it when none of its retries wait. */
  void served(QueuedWaiter waiter) {
    queue.remove(waiter);
    waiter.waiting--;
    waiter.queued = waiter.waiting > 0;
    if (waiter.queued) {
      queue.addLast(waiter);
    }
  }

  /** Returns how many present waiters are before this one. */
  int before(QueuedWaiter waiter, long now) {
    int before = 0;
    for (QueuedWaiter other : queue) {
      if (other == waiter) {
        break;
      }
      if (isPresent(other, now)) {
        before++;
      }
    }
    return before;
  }

  /**
   * Returns how many retries of present waiters could start if there were permits, at most {@code
   * most}.
   */
  int demand(int most, long now) {
    int demand = 0;
    for (QueuedWaiter waiter : queue) {
      if (isPresent(waiter, now)) {
        demand = Math.min(most, demand + Math.min(most, waiter.waiting));
      }
    }
    return demand;
  }

  /** Returns those of the first waiters that have not been woken since their last request. */
  List<QueuedWaiter> toWake(int most, long now) {
    List<QueuedWaiter> found = new ArrayList<>();
    int seen = 0;
    for (QueuedWaiter waiter : queue) {
      if (seen++ == most) {
        break;
      }
      if (!waiter.woken) {
        waiter.woken = true;
        waiter.expectedAt = now;
        found.add(waiter);
      }
    }
    return found;
  }

  private static boolean isPresent(QueuedWaiter waiter, long now) {
    return now - waiter.expectedAt <= PRESENCE_NANOS;
  }

  int waiting() {
    int waiting = 0;
    for (QueuedWaiter waiter : all) {
      waiting += waiter.waiting;
    }
    return waiting;
  }

  /** Returns how many retries of other waiters are likely to start before the one at a position. */
  long othersBefore(QueuedWaiter waiter, int position) {
    long before = 0;
    for (QueuedWaiter other : queue) {
      if (other != waiter) {
        before += Math.min(other.waiting, position);
      }
    }
    return before;
  }

  List<String> consumers() {
    List<String> names = new ArrayList<>();
    for (QueuedWaiter waiter : all) {
      names.add(waiter.consumer);
    }
    names.sort(null);
    return names;
  }
}
