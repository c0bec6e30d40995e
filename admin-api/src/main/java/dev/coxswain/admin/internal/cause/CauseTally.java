// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.cause.CauseSums.OfController;
import dev.coxswain.view.FailurePattern;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Adds up the counts of all replicas, and chooses the causes that a list shows. Confined to one
 * thread.
 */
final class CauseTally {

  /** The length of a mark. */
  static final int MARK = 4;

  private static final int MARK_BITS = 16;
  private static final double THOUSANDTHS = 1000;

  private static final int ID_DIGITS = 12;

  private final Map<String, Map<Long, Sum>> controllers = new HashMap<>();
  private final Map<String, Long> failing = new HashMap<>();
  private final Set<Key> chosen;
  private final Set<String> unread = new TreeSet<>();

  /** A cause of one controller. */
  record Key(String controller, String id) {}

  /** The counts of a cause; those that a list shows first are less. */
  private static final class Sum implements Comparable<Sum> {
    private final String controller;
    private final long id;
    private long items;
    private long lastSeen;

    Sum(String controller, long id) {
      this.controller = controller;
      this.id = id;
    }

    void add(long more, long seen) {
      items += more;
      lastSeen = Math.max(lastSeen, seen);
    }

    @Override
    public int compareTo(Sum other) {
      if (items != other.items) {
        return Long.compare(other.items, items);
      }
      if (lastSeen != other.lastSeen) {
        return Long.compare(other.lastSeen, lastSeen);
      }
      int byController = controller.compareTo(other.controller);
      return byController != 0 ? byController : Long.compare(id, other.id);
    }

    Key key() {
      return new Key(controller, HexFormat.of().toHexDigits(id, ID_DIGITS));
    }
  }

  /**
   * Adds up and chooses.
   *
   * @param limit how many causes the list shows
   */
  CauseTally(List<CauseSums> replicas, int limit) {
    for (CauseSums replica : replicas) {
      unread.addAll(replica.unread());
      for (OfController one : replica.controllers()) {
        Map<Long, Sum> causes = controllers.computeIfAbsent(one.controller(), _ -> new HashMap<>());
        one.forEach((id, items, lastSeen) ->
            causes.computeIfAbsent(id, _ -> new Sum(one.controller(), id)).add(items, lastSeen));
      }
    }
    PriorityQueue<Sum> first = new PriorityQueue<>(Comparator.reverseOrder());
    controllers.forEach((name, causes) -> {
      failing.put(name, causes.values().stream().mapToLong(one -> one.items).sum());
      for (Sum one : causes.values()) {
        if (first.size() < limit) {
          first.add(one);
        } else if (one.compareTo(first.element()) < 0) {
          first.remove();
          first.add(one);
        }
      }
    });
    chosen = first.stream().map(Sum::key).collect(Collectors.toUnmodifiableSet());
  }

  /** Returns how many causes there are. */
  int total() {
    return controllers.values().stream().mapToInt(Map::size).sum();
  }

  /** Returns the causes that the list shows. */
  Set<Key> chosen() {
    return chosen;
  }

  /** Returns the marks of the chosen causes, one after the other, by which other replicas find them. */
  String marks() {
    return chosen.stream()
        .map(one ->
            HexFormat.of()
                .toHexDigits(mark(one.controller(), FailurePattern.number(one.id())), MARK))
        .distinct()
        .sorted()
        .collect(Collectors.joining());
  }

  /**
   * Returns 16 bits that depend on a controller and a cause: a few causes too many cost less than
   * whole names. Controllers that use the same vendor fail of the same causes.
   */
  static int mark(String controller, long id) {
    int name = controller.hashCode();
    return (int) (id ^ name ^ (name >>> MARK_BITS)) & ((1 << MARK_BITS) - 1);
  }

  /** Returns the list of the chosen causes, which the replicas have sent in full. */
  CauseList list(List<CauseList> full) {
    Map<Key, CauseResource> whole = new HashMap<>();
    for (CauseList list : full) {
      for (CauseResource cause : list.items()) {
        Key key = new Key(cause.controller(), cause.id());
        if (chosen.contains(key)) {
          whole.merge(key, cause, CauseResource::plus);
        }
      }
    }
    return CauseList.of(
        total(),
        failing.values().stream().mapToLong(Long::longValue).sum(),
        whole.values().stream()
            .sorted(CauseResource.ORDER)
            .map(cause -> cause.completed().withShare(share(cause)))
            .toList(),
        List.copyOf(unread));
  }

  private double share(CauseResource cause) {
    long all = failing.getOrDefault(cause.controller(), 0L);
    return all == 0 ? 0 : Math.min(1, Math.round(THOUSANDTHS * cause.items() / all) / THOUSANDTHS);
  }
}
