// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.internal.lease.LeaseObservation;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * All replica Leases as last listed, with the time since their last observed change. A Lease with a
 * holder counts as held until it is written again, whatever its age.
 *
 * <p>Thread rule: confined to one thread.
 */
public final class ReplicaLeaseTable {

  public static final String LABEL = "coxswain.dev/replica-leases";
  static final String GENERATION = "coxswain.dev/limiter-generation";
  static final String POOL = "coxswain.dev/limiter-pool";
  static final String POOL_ON = "on";
  static final String OVERRIDE = "coxswain.dev/limiter-override";
  static final String ADDRESS = "address.coxswain.dev/";

  private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,5}");

  private final MembershipOptions options;
  private final Map<Integer, Observed> byOrdinal = new TreeMap<>();
  private final Deque<Count> counts = new ArrayDeque<>();

  /**
   * One Lease, with the times of its last observed change and of the first observation of its
   * holder.
   */
  private static final class Observed {
    private final LeaseObservation observation = new LeaseObservation();
    private LeaseRecord lease;
    private String holder = "";
    private long observedAt;

    Observed(LeaseRecord lease) {
      this.lease = lease;
    }

    void observe(LeaseRecord found, long now) {
      lease = found;
      observation.observe(found, now);
      if (!holder.equals(found.holder())) {
        holder = found.holder();
        observedAt = now;
      }
    }

    boolean held() {
      return !holder.isEmpty();
    }
  }

  /** The number of held Leases at one moment. */
  private record Count(long at, int held) {}

  ReplicaLeaseTable(MembershipOptions options) {
    this.options = options;
  }

  /** Applies a complete list. */
  void listed(List<LeaseRecord> leases, long now) {
    Map<Integer, Observed> before = new TreeMap<>(byOrdinal);
    byOrdinal.clear();
    for (LeaseRecord lease : leases) {
      int ordinal = ordinalOf(lease.name());
      if (ordinal >= 0) {
        Observed seen = before.getOrDefault(ordinal, new Observed(lease));
        seen.observe(lease, now);
        byOrdinal.put(ordinal, seen);
      }
    }
    count(Math.max(1, (int) held().count()), now);
  }

  /** Returns a view for other threads. */
  MembershipView view() {
    List<MembershipView.Entry> entries = new ArrayList<>();
    byOrdinal.forEach((ordinal, seen) -> {
      if (seen.held()) {
        entries.add(
            new MembershipView.Entry(
                ordinal,
                seen.holder,
                seen.lease.acquired(),
                seen.lease.annotation(GENERATION),
                usesPool(seen),
                seen.observedAt,
                seen.lease.annotations(ADDRESS)));
      }
    });
    return new MembershipView(counts.isEmpty() ? 1 : counts.getFirst().held, entries);
  }

  /**
   * Returns the ordinal of a Lease that may be acquired now: one under this identity, whose
   * acquisition had no response, a free one, possibly not created yet, or an expired one, in this
   * order.
   */
  OptionalInt free(String identity, long now) {
    for (IntPredicate rule :
        List.<IntPredicate>of(
            ordinal -> byOrdinal.containsKey(ordinal) && seen(ordinal).holder.equals(identity),
            ordinal -> !byOrdinal.containsKey(ordinal) || !seen(ordinal).held(),
            ordinal -> left(seen(ordinal), now).isZero())) {
      OptionalInt found = IntStream.range(0, options.count()).filter(rule).findFirst();
      if (found.isPresent()) {
        return found;
      }
    }
    return OptionalInt.empty();
  }

  /** Returns the Lease of an ordinal as listed, or one that must be created. */
  LeaseRecord leaseOrFresh(int ordinal) {
    return byOrdinal.containsKey(ordinal)
        ? seen(ordinal).lease
        : LeaseRecord.unheld(options.namespace(), options.lease(ordinal));
  }

  /** Returns the expired Leases that are still held, without the own one. */
  List<LeaseRecord> expired(int own, long now) {
    List<LeaseRecord> result = new ArrayList<>();
    byOrdinal.forEach((ordinal, seen) -> {
      if (ordinal != own && seen.held() && left(seen, now).isZero()) {
        result.add(seen.lease);
      }
    });
    return result;
  }

  /** Returns how long it takes until the next Lease of another replica can have expired. */
  Duration untilNextExpiry(int own, long now) {
    Duration least = options.times().leaseDuration();
    for (Map.Entry<Integer, Observed> entry : byOrdinal.entrySet()) {
      if (entry.getKey() != own && entry.getValue().held()) {
        Duration left = left(entry.getValue(), now);
        least = left.compareTo(least) < 0 ? left : least;
      }
    }
    return least;
  }

  /**
   * Returns whether a new user of the pool may begin: no other generation holds a Lease, or one of
   * this generation uses the pool already.
   */
  boolean mayUsePool() {
    return held().allMatch(this::ownGeneration)
        || held().anyMatch(seen -> ownGeneration(seen) && usesPool(seen));
  }

  /**
   * Returns the annotation about overrides. It contains the holder, because a holder of an older
   * version does not write it and leaves the value of the previous holder.
   */
  static String override(boolean may, String holder) {
    return (may ? "received " : "none ") + holder;
  }

  /** Returns whether a held Lease, other than the own one, does not rule out an override. */
  boolean showsOverride(String identity) {
    return held()
        .filter(seen -> !seen.holder.equals(identity))
        .anyMatch(seen -> !seen.lease.annotation(OVERRIDE).equals(override(false, seen.holder)));
  }

  private Stream<Observed> held() {
    return byOrdinal.values().stream().filter(Observed::held);
  }

  private boolean ownGeneration(Observed seen) {
    return seen.lease.annotation(GENERATION).equals(options.generation());
  }

  private static boolean usesPool(Observed seen) {
    return seen.lease.annotation(POOL).equals(POOL_ON);
  }

  private Duration left(Observed seen, long now) {
    return seen.observation.left(seen.lease, now, options.times().leaseDuration());
  }

  private Observed seen(int ordinal) {
    Observed seen = byOrdinal.get(ordinal);
    if (seen == null) {
      throw new IllegalStateException("ordinal " + ordinal + " has no Lease");
    }
    return seen;
  }

  /** Keeps only counts that can still become the largest. */
  private void count(int held, long now) {
    while (!counts.isEmpty() && counts.getLast().held <= held) {
      counts.removeLast();
    }
    counts.addLast(new Count(now, held));
    long window = options.times().leaseDuration().toNanos();
    while (now - counts.getFirst().at > window) {
      counts.removeFirst();
    }
  }

  /** Returns the ordinal of a Lease of this name, or -1. */
  private int ordinalOf(String name) {
    String start = options.prefix() + "-";
    String number = name.startsWith(start) ? name.substring(start.length()) : "";
    return NUMBER.matcher(number).matches() ? Integer.parseInt(number) : -1;
  }
}
