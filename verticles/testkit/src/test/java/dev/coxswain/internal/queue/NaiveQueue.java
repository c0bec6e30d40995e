// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the queue written down as plainly as possible: one list, searched from end to end.
 * It shares no code with the real queue but its options.
 */
final class NaiveQueue {

  static final class Entry {
    final String key;
    Phase phase = Phase.READY;
    int priority;
    Trigger trigger = Trigger.EVENT;
    long time;

    /** When it was put in its present line; among equals the lower comes first. */
    long place;

    int failures;
    long windowEnd;
    boolean paysToken;
    boolean startedInWindow;
    boolean dirty;
    int dirtyPriority;
    Trigger dirtyTrigger = Trigger.EVENT;
    @Nullable Long pendingDue;
    boolean pendingIsOperators;
    int pendingPriority;
    Trigger pendingTrigger = Trigger.EVENT;

    Entry(String key) {
      this.key = key;
    }
  }

  private final Map<String, Entry> entries = new HashMap<>();
  private final Backoff backoff;
  private final Composition composition;
  private final long agingStep;
  private long places;
  boolean paused;

  /** Tokens that may be taken now. */
  int tokens;

  NaiveQueue(Backoff backoff, Composition composition, long agingStep) {
    this.backoff = backoff;
    this.composition = composition;
    this.agingStep = agingStep;
  }

  Collection<Entry> entries() {
    return entries.values();
  }

  @Nullable Entry get(String key) {
    return entries.get(key);
  }

  List<String> inFlight() {
    List<String> keys = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.phase == Phase.IN_FLIGHT) {
        keys.add(entry.key);
      }
    }
    keys.sort(null);
    return keys;
  }

  void add(String key, int priority, Trigger trigger, long now) {
    Entry entry = entries.get(key);
    if (entry == null) {
      entry = new Entry(key);
      entries.put(key, entry);
      entry.priority = priority;
      entry.trigger = trigger;
      ready(entry, now);
    } else if (entry.phase == Phase.READY) {
      raise(entry, priority);
    } else if (entry.phase == Phase.IN_FLIGHT) {
      dirty(entry, priority, trigger);
    } else {
      entry.paysToken = false;
      entry.priority = Math.max(entry.priority, priority);
      entry.trigger = trigger;
      ready(entry, now);
    }
  }

  void addAfter(String key, long delay, int priority, Trigger trigger, long now) {
    if (delay <= 0) {
      add(key, priority, trigger, now);
      return;
    }
    Entry entry = entries.get(key);
    if (entry == null) {
      entry = new Entry(key);
      entries.put(key, entry);
      entry.priority = priority;
      entry.trigger = trigger;
      delay(entry, now + delay);
      return;
    }
    switch (entry.phase) {
      case READY, WAITING_TOKEN -> raise(entry, priority);
      case IN_FLIGHT -> {
        entry.pendingPriority =
            entry.pendingDue == null ? priority : Math.max(entry.pendingPriority, priority);
        if (entry.pendingDue == null || now + delay < entry.pendingDue) {
          entry.pendingDue = now + delay;
          entry.pendingIsOperators = false;
          entry.pendingTrigger = trigger;
        }
      }
      case DELAYED -> {
        if (now + delay < entry.time) {
          entry.paysToken = false;
          entry.priority = Math.max(entry.priority, priority);
          entry.trigger = trigger;
          delay(entry, now + delay);
        } else {
          entry.priority = Math.max(entry.priority, priority);
        }
      }
      case TERMINAL -> throw new IllegalStateException("no phase of the queue");
    }
  }

  private void ready(Entry entry, long now) {
    entry.phase = Phase.READY;
    entry.time = now;
    entry.place = places++;
  }

  private void delay(Entry entry, long due) {
    entry.phase = Phase.DELAYED;
    entry.time = due;
    entry.place = places++;
  }

  private void raise(Entry entry, int priority) {
    if (priority > entry.priority) {
      entry.priority = priority;
      entry.place = places++;
    }
  }

  private static void dirty(Entry entry, int priority, Trigger trigger) {
    if (entry.dirty) {
      entry.dirtyPriority = Math.max(entry.dirtyPriority, priority);
    } else {
      entry.dirty = true;
      entry.dirtyPriority = priority;
      entry.dirtyTrigger = trigger;
    }
  }

  void moveDue(long now) {
    List<Entry> due = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.phase == Phase.DELAYED && entry.time <= now) {
        due.add(entry);
      }
    }
    due.sort(Comparator.<Entry>comparingLong(e -> e.time).thenComparingLong(e -> e.place));
    for (Entry entry : due) {
      ready(entry, now);
      if (entry.paysToken && composition == Composition.ADMISSION) {
        entry.phase = Phase.WAITING_TOKEN;
      }
    }
  }

  @Nullable String next(long now) {
    if (paused) {
      return null;
    }
    Entry fresh = first(Phase.READY);
    Entry retry = first(Phase.WAITING_TOKEN);
    Entry chosen = fresh;
    if (retry != null && (fresh == null || comesBefore(retry, fresh)) && tokens > 0) {
      tokens--;
      chosen = retry;
    }
    if (chosen == null) {
      return null;
    }
    chosen.startedInWindow = !chosen.paysToken && chosen.failures > 0 && now < chosen.windowEnd;
    chosen.paysToken = false;
    chosen.phase = Phase.IN_FLIGHT;
    chosen.time = now;
    return chosen.key;
  }

  private @Nullable Entry first(Phase phase) {
    Entry first = null;
    for (Entry entry : entries.values()) {
      if (entry.phase == phase
          && isHeadOfItsLevel(entry)
          && (first == null || comesBefore(entry, first))) {
        first = entry;
      }
    }
    return first;
  }

  private boolean isHeadOfItsLevel(Entry entry) {
    for (Entry other : entries.values()) {
      if (other.phase == entry.phase
          && other.priority == entry.priority
          && other.place < entry.place) {
        return false;
      }
    }
    return true;
  }

  /** Higher priority first, unless the lower one has waited longer by the step for each level. */
  private boolean comesBefore(Entry a, Entry b) {
    if (agingStep == 0) {
      return a.priority != b.priority ? a.priority > b.priority : a.time < b.time;
    }
    long lead = (b.time - a.time) + (a.priority - b.priority) * agingStep;
    return lead != 0 ? lead > 0 : a.priority > b.priority;
  }

  void succeed(String key, @Nullable Long again, long now) {
    Entry entry = inFlight(key);
    entry.failures = 0;
    if (entry.dirty) {
      wakeDirty(entry, now);
    } else if (entry.pendingDue != null
        && (again == null
            || entry.pendingIsOperators
            || entry.pendingDue < now + Math.max(0, again))) {
      wakePending(entry);
    } else if (again == null) {
      entries.remove(key);
    } else {
      keepPendingPriority(entry);
      entry.pendingDue = null;
      entry.trigger = Trigger.REQUEUE_AFTER;
      if (again <= 0) {
        ready(entry, now);
      } else {
        delay(entry, now + again);
      }
    }
  }

  void fail(String key, long atLeast, long now) {
    Entry entry = inFlight(key);
    if (entry.startedInWindow && entry.failures > 0) {
      entry.windowEnd = Math.max(entry.windowEnd, now + atLeast);
    } else {
      entry.failures++;
      entry.windowEnd = now + Math.max(backoff.delayNanos(entry.failures), atLeast);
    }
    entry.dirtyPriority = Math.max(entry.dirtyPriority, entry.priority);
    entry.pendingPriority = Math.max(entry.pendingPriority, entry.priority);
    if (entry.dirty) {
      wakeDirty(entry, now);
    } else if (entry.pendingDue != null && entry.pendingIsOperators) {
      entry.paysToken = true;
      entry.trigger = Trigger.RETRY;
      delay(entry, Math.max(now, entry.pendingDue));
      keepPendingPriority(entry);
      entry.pendingDue = null;
    } else if (entry.pendingDue != null && entry.pendingDue < entry.windowEnd) {
      wakePending(entry);
    } else {
      keepPendingPriority(entry);
      entry.pendingDue = null;
      entry.paysToken = true;
      entry.trigger = Trigger.RETRY;
      delay(entry, Math.max(now, entry.windowEnd));
    }
  }

  private Entry inFlight(String key) {
    Entry entry = entries.get(key);
    if (entry == null || entry.phase != Phase.IN_FLIGHT) {
      throw new AssertionError(key + " is not in flight");
    }
    return entry;
  }

  private void wakeDirty(Entry entry, long now) {
    entry.dirty = false;
    entry.priority = entry.dirtyPriority;
    keepPendingPriority(entry);
    entry.pendingDue = null;
    entry.trigger = entry.dirtyTrigger;
    ready(entry, now);
  }

  private static void keepPendingPriority(Entry entry) {
    if (entry.pendingDue != null) {
      entry.priority = Math.max(entry.priority, entry.pendingPriority);
    }
  }

  private void wakePending(Entry entry) {
    long due = java.util.Objects.requireNonNull(entry.pendingDue);
    entry.pendingDue = null;
    entry.priority = entry.pendingPriority;
    entry.trigger = entry.pendingTrigger;
    delay(entry, due);
  }

  void promote(String key, long now) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return;
    }
    if (entry.phase == Phase.IN_FLIGHT) {
      dirty(entry, entry.priority, Trigger.OPERATOR);
    } else if (entry.phase != Phase.READY) {
      entry.paysToken = false;
      entry.trigger = Trigger.OPERATOR;
      ready(entry, now);
    }
  }

  void forget(String key) {
    Entry entry = entries.get(key);
    if (entry != null && entry.failures > 0) {
      entry.failures = 0;
      if (entry.phase == Phase.DELAYED) {
        entry.place = places++;
      }
    }
  }

  void reschedule(String key, long delay, long now) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return;
    }
    if (entry.phase == Phase.IN_FLIGHT) {
      if (delay <= 0) {
        dirty(entry, entry.priority, Trigger.OPERATOR);
      } else {
        entry.pendingDue = now + delay;
        entry.pendingIsOperators = true;
        entry.pendingPriority = entry.priority;
        entry.pendingTrigger = Trigger.OPERATOR;
      }
      return;
    }
    if (!entry.paysToken) {
      entry.trigger = Trigger.OPERATOR;
      if (delay <= 0) {
        ready(entry, now);
        return;
      }
    }
    delay(entry, now + Math.max(0, delay));
  }

  void drop(String key) {
    Entry entry = entries.get(key);
    if (entry != null && entry.phase != Phase.IN_FLIGHT) {
      entries.remove(key);
    }
  }
}
