// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Which fault happens when: every fault several times, evenly spread and in a random order, none
 * beside itself, many beside others.
 *
 * <p>Thread rule: immutable.
 *
 * @param entries by their begin
 */
record FaultSchedule(List<Entry> entries) {

  /**
   * One fault.
   *
   * @param fault what happens
   * @param begin when, from the start of the storm
   * @param length how long; zero for faults that do not last
   */
  record Entry(StormFault fault, Duration begin, Duration length) {
    Duration end() {
      return begin.plus(length);
    }

    boolean overlaps(Entry other) {
      return begin.compareTo(other.end()) < 0 && other.begin.compareTo(end()) < 0;
    }

    @Override
    public String toString() {
      return "%6.2f s  %s%s"
          .formatted(
              begin.toMillis() / 1000.0,
              fault,
              length.isZero() ? "" : " for %.2f s".formatted(length.toMillis() / 1000.0));
    }
  }

  /**
   * Makes a plan.
   *
   * @param seed the same seed makes the same plan
   * @param time how long the storm lasts; every fault has ended before
   * @param times how often every fault happens
   */
  static FaultSchedule of(long seed, Duration time, int times) {
    SplittableRandom random = new SplittableRandom(seed);
    int count = StormFault.values().length;
    long step = time.toMillis() * 8 / 10 / ((long) count * times);
    List<Entry> entries = new ArrayList<>();
    // Each round has every fault once, so two of a kind are a round apart on average.
    for (int round = 0; round < times; round++) {
      List<StormFault> order = shuffled(random);
      for (int i = 0; i < count; i++) {
        long begin = time.toMillis() / 20 + step * ((long) round * count + i);
        begin += random.nextLong(Math.max(1, step / 2));
        StormFault fault = order.get(i);
        long length = fault.lasts() ? step + random.nextLong(Math.max(1, step)) : 0;
        entries.add(new Entry(fault, Duration.ofMillis(begin), Duration.ofMillis(length)));
      }
    }
    entries.sort(Comparator.comparing(Entry::begin));
    return new FaultSchedule(withoutTwins(entries));
  }

  private static List<StormFault> shuffled(SplittableRandom random) {
    List<StormFault> order = new ArrayList<>(List.of(StormFault.values()));
    for (int i = order.size() - 1; i > 0; i--) {
      order.set(i, order.set(random.nextInt(i + 1), order.get(i)));
    }
    return order;
  }

  /** The last of one round may be the first of the next: the earlier one ends sooner then. */
  private static List<Entry> withoutTwins(List<Entry> sorted) {
    List<Entry> apart = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      Entry one = sorted.get(i);
      for (Entry next : sorted.subList(i + 1, sorted.size())) {
        if (next.fault() == one.fault() && next.begin().compareTo(one.end()) <= 0) {
          one = new Entry(one.fault(), one.begin(), next.begin().minus(one.begin()).dividedBy(2));
        }
      }
      apart.add(one);
    }
    return List.copyOf(apart);
  }

  /** Returns how many faults happen while another one does. */
  long overlapping() {
    return entries.stream()
        .filter(
            one -> entries.stream().anyMatch(other -> !other.equals(one) && one.overlaps(other)))
        .count();
  }
}
