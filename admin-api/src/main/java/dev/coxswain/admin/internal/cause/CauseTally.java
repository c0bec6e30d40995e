// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.cause.CauseSums.OfController;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Adds up the counts of all replicas, and chooses the causes that a list shows. Confined to one
 * thread.
 */
final class CauseTally {

  /** So many letters of an id are sent: a few causes too many cost less than whole ids. */
  static final int BEGINNING = 4;

  private static final double THOUSANDTHS = 1000;

  private static final Comparator<Map.Entry<Key, Sum>> ORDER =
      Comparator.<Map.Entry<Key, Sum>>comparingLong(one -> one.getValue().items())
          .thenComparingLong(one -> one.getValue().lastSeen())
          .reversed()
          .thenComparing(one -> one.getKey().controller())
          .thenComparing(one -> one.getKey().id());

  private final Map<Key, Sum> causes = new HashMap<>();
  private final Map<String, Long> failing = new HashMap<>();
  private final Set<String> unread = new TreeSet<>();

  /** A cause of one controller. */
  record Key(String controller, String id) {}

  private record Sum(long items, long lastSeen) {

    Sum plus(Sum other) {
      return new Sum(items + other.items, Math.max(lastSeen, other.lastSeen));
    }
  }

  CauseTally(List<CauseSums> replicas) {
    for (CauseSums replica : replicas) {
      unread.addAll(replica.unread());
      for (OfController one : replica.controllers()) {
        for (int i = 0; i < one.ids().size(); i++) {
          causes.merge(
              new Key(one.controller(), one.ids().get(i)),
              new Sum(one.items().get(i), one.lastSeen().get(i)),
              Sum::plus);
          failing.merge(one.controller(), one.items().get(i), Long::sum);
        }
      }
    }
  }

  /** Returns how many causes there are. */
  int total() {
    return causes.size();
  }

  /** Returns the first causes. */
  Set<Key> first(int limit) {
    return causes.entrySet().stream()
        .sorted(ORDER)
        .limit(limit)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Returns the beginnings of ids, one after the other, by which other replicas find them. */
  static String beginnings(Set<Key> chosen) {
    return chosen.stream()
        .map(one -> one.id().substring(0, Math.min(BEGINNING, one.id().length())))
        .distinct()
        .sorted()
        .collect(Collectors.joining());
  }

  /** Returns the list of the chosen causes, which the replicas have sent in full. */
  CauseList list(Set<Key> chosen, List<CauseList> full) {
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
