// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue of the items of one priority: first in, first out, or, with flows, first in, first out inside a flow and one
 * item of each flow in turn.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class FairQueue<K> {
  private static final int MAX_HEADS = 32;

  final byte priority;

  private final @Nullable Function<? super K, ?> flowOf;
  private final ItemRing<K> single = new ItemRing<>();
  private final Map<Object, Flow<K>> flows = new HashMap<>();

  /** The flows in the order of their turns; may contain flows that have become empty. */
  private final ArrayDeque<Flow<K>> turns = new ArrayDeque<>();

  private int size;

  FairQueue(byte priority, @Nullable Function<? super K, ?> flowOf) {
    this.priority = priority;
    this.flowOf = flowOf;
  }

  int size() {
    return size;
  }

  void add(Item<K> item) {
    size++;
    if (flowOf == null) {
      single.add(item);
      return;
    }
    Object name = flowOf.apply(item.key);
    Flow<K> flow = flows.get(name);
    if (flow == null) {
      flow = new Flow<>(name);
      flows.put(name, flow);
      turns.addLast(flow);
    }
    flow.ring.add(item);
  }

  @Nullable Item<K> peek() {
    if (flowOf == null) {
      return single.peek();
    }
    while (true) {
      Flow<K> flow = turns.peekFirst();
      if (flow == null) {
        return null;
      }
      Item<K> item = flow.ring.peek();
      if (item != null) {
        return item;
      }
      turns.removeFirst();
      flows.remove(flow.name);
    }
  }

  /** Returns since when the oldest of the first heads has been waiting; only when not empty. */
  long oldestSince() {
    Item<K> head = peek();
    long oldest = head == null ? 0 : head.time;
    int looked = 0;
    for (Flow<K> flow : turns) {
      Item<K> first = flow.ring.peek();
      if (first != null && first.time - oldest < 0) {
        oldest = first.time;
      }
      if (++looked == MAX_HEADS) {
        break;
      }
    }
    return oldest;
  }

  /** Removes the item that {@link #peek} has just returned; the next flow has the turn. */
  void removeHead(Item<K> head) {
    size--;
    if (flowOf == null) {
      single.remove(head);
      return;
    }
    Flow<K> flow = turns.removeFirst();
    flow.ring.remove(head);
    if (flow.ring.size() > 0) {
      turns.addLast(flow);
    } else {
      flows.remove(flow.name);
    }
  }

  /** Removes any item. */
  void remove(Item<K> item) {
    size--;
    if (flowOf == null) {
      single.remove(item);
      return;
    }
    flow(item).ring.remove(item);
    if (size == 0) {
      flows.clear();
      turns.clear();
    } else if (turns.size() > 64 && turns.size() > 2 * size) {
      // Flows that lost their items this way would otherwise stay until their turn.
      turns.removeIf(flow -> flow.ring.size() == 0);
      flows.values().removeIf(flow -> flow.ring.size() == 0);
    }
  }

  /** Returns how many items are served before {@code item} if nothing else changes. */
  int before(Item<K> item) {
    if (flowOf == null) {
      return single.before(item);
    }
    Flow<K> own = flow(item);
    int rounds = own.ring.before(item);
    int count = rounds;
    boolean ownTurnSeen = false;
    for (Flow<K> flow : turns) {
      if (flow == own) {
        ownTurnSeen = true;
      } else {
        count += Math.min(flow.ring.size(), ownTurnSeen ? rounds : rounds + 1);
      }
    }
    return count;
  }

  private Flow<K> flow(Item<K> item) {
    if (flowOf != null) {
      Flow<K> flow = flows.get(flowOf.apply(item.key));
      if (flow != null && flow.ring.contains(item)) {
        return flow;
      }
    }
    // The flow function is user code and may return another value the next time.
    for (Flow<K> flow : turns) {
      if (flow.ring.contains(item)) {
        return flow;
      }
    }
    throw new IllegalStateException("the item is not in this queue");
  }

  private static final class Flow<K> {
    final Object name;
    final ItemRing<K> ring = new ItemRing<>();

    Flow(Object name) {
      this.name = name;
    }
  }
}
