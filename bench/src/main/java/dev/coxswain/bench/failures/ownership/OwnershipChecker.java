// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Finds broken promises in recordings. Each finding is certain: where the order of two events is
 * open, nothing is reported.
 */
final class OwnershipChecker {
  private final List<Attempt> attempts;
  private final Map<String, List<Attempt>> byKey = new HashMap<>();

  /**
   * A broken promise.
   *
   * @param nanos when
   * @param text what, with the records that prove it
   */
  record Finding(long nanos, String text) {}

  /**
   * Creates a checker.
   *
   * @param attempts all attempts in the order of their begins
   */
  OwnershipChecker(List<Attempt> attempts) {
    this.attempts = List.copyOf(attempts);
    attempts.forEach(one -> byKey.computeIfAbsent(one.key(), _ -> new ArrayList<>()).add(one));
  }

  /**
   * Returns attempts that were permitted to write when an attempt of the same key with a later
   * ownership had begun, and keys with two owners in one epoch.
   */
  List<Finding> overlaps() {
    List<Finding> found = new ArrayList<>();
    for (List<Attempt> all : byKey.values()) {
      for (Attempt old : all) {
        for (Attempt other : all) {
          if (!other.sameOwner(old) && other.newerThan(old)) {
            if (other.epoch() == old.epoch() && old.epoch() != 0) {
              found.add(new Finding(other.begin(), "two owners: " + old + " and " + other));
            } else if (old.mayWrite() >= other.begin()) {
              found.add(new Finding(old.mayWrite(), "overlap: " + old + " with " + other));
            }
          }
        }
      }
    }
    return found;
  }

  /**
   * Returns writes that the API server stored after a write of a later ownership.
   *
   * @param watched what a watch has shown; acknowledged writes of the attempts are added
   */
  List<Finding> staleWrites(Collection<HistoryEntry> watched) {
    Map<String, NavigableMap<Long, HistoryEntry>> history = new HashMap<>();
    attempts.stream()
        .filter(attempt -> attempt.version() != 0)
        .map(HistoryEntry::of)
        .forEach(entry -> add(history, entry));
    watched.forEach(entry -> add(history, entry));
    List<Finding> found = new ArrayList<>();
    for (NavigableMap<Long, HistoryEntry> versions : history.values()) {
      HistoryEntry newest = versions.firstEntry().getValue();
      HistoryEntry last = newest;
      for (HistoryEntry entry : versions.values()) {
        if (!entry.sameAttempt(last) && entry.olderThan(newest) && !entry.sameOwner(newest)) {
          found.add(new Finding(entry.nanos(), "stale write: " + entry + " after " + newest));
        }
        last = entry;
        newest = newest.olderThan(entry) ? entry : newest;
      }
    }
    return found;
  }

  private static void add(
      Map<String, NavigableMap<Long, HistoryEntry>> history, HistoryEntry entry) {
    history.computeIfAbsent(entry.key(), _ -> new TreeMap<>()).put(entry.version(), entry);
  }

  /**
   * Returns for each key the longest time from a change to the acknowledged write that reconciled
   * it, in nanoseconds.
   *
   * @param until the end of a change that was not reconciled
   */
  Map<String, Long> gaps(Collection<ChangeFeed.Change> changes, long until) {
    Map<String, Long> gaps = new HashMap<>();
    for (ChangeFeed.Change change : changes) {
      long reconciled =
          byKey.getOrDefault(change.key(), List.of()).stream()
              .filter(one -> one.version() != 0 && one.generation() >= change.generation())
              .mapToLong(Attempt::written)
              .min()
              .orElse(until);
      gaps.merge(change.key(), Math.max(0, reconciled - change.nanos()), Math::max);
    }
    return gaps;
  }

  /** Returns the keys whose last attempt before a time was one of a process. */
  List<String> keysOf(String process, long nanos) {
    Map<String, String> owners = new LinkedHashMap<>();
    attempts.stream()
        .filter(attempt -> attempt.begin() < nanos)
        .forEach(attempt -> owners.put(attempt.key(), attempt.process()));
    return owners.entrySet().stream()
        .filter(owner -> owner.getValue().equals(process))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Returns for each of some keys the time from a fault to its first attempt by another process, in
   * nanoseconds.
   *
   * @param until the end for keys without such an attempt
   */
  Map<String, Long> recoveries(Collection<String> keys, String process, long fault, long until) {
    Map<String, Long> times = new HashMap<>();
    for (String key : keys) {
      long taken =
          byKey.getOrDefault(key, List.of()).stream()
              .filter(one -> one.begin() >= fault && !one.process().equals(process))
              .mapToLong(Attempt::begin)
              .min()
              .orElse(until);
      times.put(key, taken - fault);
    }
    return times;
  }

  /** Returns how often the process that reconciles a key was another one than before. */
  int moves(long from, long to) {
    int moves = 0;
    for (List<Attempt> all : byKey.values()) {
      for (int i = 1; i < all.size(); i++) {
        long begin = all.get(i).begin();
        boolean moved = !all.get(i).process().equals(all.get(i - 1).process());
        moves += moved && begin >= from && begin < to ? 1 : 0;
      }
    }
    return moves;
  }

  /** Returns how many attempts began in a time. */
  List<Attempt> between(long from, long to) {
    return attempts.stream()
        .filter(attempt -> attempt.begin() >= from && attempt.begin() < to)
        .sorted(Comparator.comparingLong(Attempt::begin))
        .toList();
  }
}
