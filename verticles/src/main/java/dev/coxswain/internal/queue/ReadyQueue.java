// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One queue per priority, the highest first, unless the head of a lower one has waited long enough
 * to overtake. There is one for ready items and one for retries that wait for a token.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class ReadyQueue<K> {
  // Aging without updating waiting items: "priority + waited / step" grows for all items alike, so
  // comparing two of them is comparing "since - priority x step", which never changes.

  private final @Nullable Function<? super K, ?> flowOf;
  private final long agingStep;

  /** Three months a level: no wait is longer, and 255 levels of it still fit a difference. */
  private static final long MAX_STEP = Long.MAX_VALUE / 1024;

  /**
   * The priorities that have items, the highest first. Few in practice, so the search is linear.
   */
  private final List<FairQueue<K>> levels = new ArrayList<>();

  /** One of them: the only one, or that of the last item that was added or removed. */
  private FairQueue<K> recent;

  private int size;

  /** The step is in nanoseconds; zero means no overtaking. */
  ReadyQueue(@Nullable Function<? super K, ?> flowOf, long agingStep) {
    this.flowOf = flowOf;
    this.agingStep = Math.min(agingStep, MAX_STEP);
    this.recent = new FairQueue<>((byte) 0, flowOf);
    levels.add(recent);
  }

  int size() {
    return size;
  }

  void add(Item<K> item) {
    level(item.priority).add(item);
    size++;
  }

  @Nullable Item<K> peek() {
    return levels.size() == 1 ? recent.peek() : best();
  }

  private @Nullable Item<K> best() {
    Item<K> best = null;
    for (int i = 0; i < levels.size(); i++) {
      Item<K> head = levels.get(i).peek();
      if (head != null && (best == null || overtakes(head, best))) {
        best = head;
        if (agingStep == 0) {
          break;
        }
      }
    }
    return best;
  }

  /** Whether {@code item} is served before {@code other}, which has a higher or equal priority. */
  boolean overtakes(Item<K> item, Item<K> other) {
    if (agingStep == 0) {
      return item.priority > other.priority
          || (item.priority == other.priority && item.time - other.time < 0);
    }
    return (item.time - item.priority * agingStep) - (other.time - other.priority * agingStep) < 0;
  }

  /**
   * Returns since when the oldest head has been waiting; only when there is one. Approximate with
   * many flows, of which only some heads are checked.
   */
  long oldestSince() {
    long oldest = 0;
    boolean found = false;
    for (int i = 0; i < levels.size(); i++) {
      FairQueue<K> line = levels.get(i);
      if (line.size() > 0) {
        long since = line.oldestSince();
        if (!found || since - oldest < 0) {
          oldest = since;
          found = true;
        }
      }
    }
    return oldest;
  }

  void removeHead(Item<K> head) {
    FairQueue<K> level = level(head.priority);
    level.removeHead(head);
    removed(level);
  }

  void remove(Item<K> item) {
    FairQueue<K> level = level(item.priority);
    level.remove(item);
    removed(level);
  }

  /** Returns how many items are served before {@code item}, aging aside. */
  int before(Item<K> item) {
    int count = 0;
    for (FairQueue<K> level : levels) {
      if (level.priority == item.priority) {
        return count + level.before(item);
      }
      count += level.size();
    }
    return count;
  }

  private void removed(FairQueue<K> level) {
    size--;
    // The last level stays until there is another: nearly every queue has only one, and would
    // recreate it each time.
    if (level.size() == 0 && levels.size() > 1) {
      levels.remove(level);
      recent = levels.getFirst();
    }
  }

  private FairQueue<K> level(byte priority) {
    if (recent.priority != priority) {
      recent = find(priority);
    }
    return recent;
  }

  private FairQueue<K> find(byte priority) {
    int i = 0;
    for (; i < levels.size(); i++) {
      FairQueue<K> level = levels.get(i);
      if (level.priority == priority) {
        return level;
      }
      if (level.priority < priority) {
        break;
      }
    }
    FairQueue<K> level = new FairQueue<>(priority, flowOf);
    if (size == 0) {
      levels.clear();
      i = 0;
    }
    levels.add(i, level);
    return level;
  }
}
