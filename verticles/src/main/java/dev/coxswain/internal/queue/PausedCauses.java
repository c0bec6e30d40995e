// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.CausePause;
import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of causes: an item whose last failure has a paused cause is not retried. An event, or
 * an operator's retry, starts an attempt of it all the same, because that may be the repair.
 *
 * <p>Thread rule: confined to the queue's event loop, but for {@link #all}.
 *
 * @param <K> the type of the requests
 */
public final class PausedCauses<K> {
  // A retry that becomes due is held: it stays in the heap, with the end of the pause as its time.
  // So every way out of the delayed phase is a way out of a pause, and a pause that ends by itself
  // has nothing to do. One that is ended or replaced before makes its items due in a walk over the
  // table. An item is found there by its time, which no other item of the cause has.

  private static final int SLICE = 2_000;

  private final QueueState<K> state;

  /** Those in force. */
  private final Map<FailurePattern, FailureCause> paused = new HashMap<>();

  /** Pauses that ended before their time, whose items are still held. */
  private final List<Ended> ended = new ArrayList<>(0);

  private long walked;

  /** Replaced as a whole, for other threads. */
  private volatile Map<FailurePattern, Pause> shown = Map.of();

  private record Ended(FailureCause cause, long end) {}

  PausedCauses(QueueState<K> state) {
    this.state = state;
  }

  /** Sets the pauses, in place of those before; at most one for each cause. */
  public void set(Map<FailurePattern, Pause> pauses) {
    long now = state.clock.nanos();
    paused
        .entrySet()
        .removeIf(entry -> {
          boolean over = !pauses.containsKey(entry.getKey());
          if (over) {
            replace(entry.getValue(), null);
          }
          return over;
        });
    pauses.forEach((pattern, pause) -> {
      FailureCause cause = paused.computeIfAbsent(pattern, state.causes::keep);
      CausePause before = cause.pause();
      if (before == null || !before.shown().equals(pause)) {
        replace(cause, new CausePause(pause, now + left(pause)));
      }
    });
    show();
  }

  private void show() {
    Map<FailurePattern, Pause> all = new HashMap<>();
    paused.forEach((pattern, cause) -> {
      CausePause pause = cause.pause();
      if (pause != null) {
        all.put(pattern, pause.shown());
      }
    });
    shown = Map.copyOf(all);
  }

  private long left(Pause pause) {
    return pause.until() == null
        ? WorkQueue.MAX_DELAY
        : Math.max(0, Durations.toNanos(Duration.between(state.clock.instant(), pause.until())));
  }

  private void replace(FailureCause cause, @Nullable CausePause next) {
    CausePause before = cause.pause();
    if (before != null) {
      ended.add(new Ended(cause, before.end()));
      walked = 0;
    }
    cause.pause(next);
  }

  /** Returns the pauses in force; any thread. */
  public Map<FailurePattern, Pause> all() {
    Map<FailurePattern, Pause> all = new HashMap<>(shown);
    if (!all.isEmpty()) { // nothing happens at the end of a pause without items
      Instant now = state.clock.instant();
      all.values().removeIf(pause -> pause.until() != null && !pause.until().isAfter(now));
    }
    return all;
  }

  /** Returns the pause that keeps an item from being retried; null for none. */
  public @Nullable Pause of(Item<K> item) {
    CausePause pause = pauseOf(item);
    return pause == null ? null : pause.shown();
  }

  private @Nullable CausePause pauseOf(Item<K> item) {
    if (paused.isEmpty() || !item.is(Item.RETRY) || item.detail == null) {
      return null;
    }
    FailureCause cause = item.detail.cause();
    return cause == null ? null : cause.pause();
  }

  /** Delays a retry that is due and in no line, if its cause is paused; returns whether it is. */
  boolean hold(Item<K> item) {
    CausePause pause = pauseOf(item);
    if (pause == null) {
      return false;
    }
    item.phase = (byte) Phase.DELAYED.ordinal();
    item.time = pause.end();
    item.order = state.nextOrder++;
    state.delayed.add(item);
    return true;
  }

  /** Returns whether a delayed item waits for the end of a pause and not for a time of its own. */
  boolean isHeld(Item<K> item) {
    CausePause pause = pauseOf(item);
    return pause != null && item.phase() == Phase.DELAYED && item.time == pause.end();
  }

  /** Returns when a delayed item is due without the pause of its cause, also of one that has just ended. */
  long dueOf(Item<K> item) {
    return item.detail != null && (isHeld(item) || wasHeld(item))
        ? item.detail.windowEnd
        : item.time;
  }

  /** Returns when a delayed item is due, for display; {@link QueueState#NEVER} for one that is held without an end. */
  long shownDueOf(Item<K> item) {
    CausePause pause = pauseOf(item);
    if (pause != null && item.time == pause.end()) {
      return pause.hasEnd() ? pause.end() : QueueState.NEVER;
    }
    return dueOf(item);
  }

  /** Ends the pauses whose time has come; their items are due. */
  void endIfOver(long now) {
    if (paused.isEmpty()) {
      return; // no iterator in each turn of each loop
    }
    for (Iterator<FailureCause> all = paused.values().iterator(); all.hasNext(); ) {
      FailureCause cause = all.next();
      CausePause pause = cause.pause();
      if (pause == null || pause.end() - now <= 0) {
        cause.pause(null);
        all.remove();
        show();
      }
    }
  }

  /** Makes the items due whose pause was ended, or some of them; returns whether there are more. */
  public boolean releaseSome() {
    if (ended.isEmpty()) {
      return false;
    }
    long now = state.clock.nanos();
    List<Item<K>> held = new ArrayList<>();
    int[] visited = {0};
    do {
      walked =
          state.table.forEachFrom(
              walked,
              item -> {
                visited[0]++;
                if (wasHeld(item)) {
                  held.add(item);
                }
              });
      visited[0]++; // an empty range costs time as well
    } while (walked != ItemTable.END && visited[0] < SLICE);
    for (Item<K> item : held) {
      long windowEnd = item.detail().windowEnd;
      state.delayed.remove(item);
      item.time = windowEnd - now > 0 ? windowEnd : now;
      item.order = state.nextOrder++;
      state.delayed.add(item);
    }
    if (walked == ItemTable.END) {
      ended.clear();
      return false;
    }
    return true;
  }

  private boolean wasHeld(Item<K> item) {
    if (item.phase() != Phase.DELAYED || !item.is(Item.RETRY) || item.detail == null) {
      return false;
    }
    FailureCause cause = item.detail.cause();
    for (Ended one : ended) {
      if (one.cause() == cause && one.end() == item.time) {
        return true;
      }
    }
    return false;
  }
}
