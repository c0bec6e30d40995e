// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.sharding.internal.lease.LeaseObservation;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.lease.LeaseRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All replica Leases as last listed, with the time since their last observed change. A Lease with a
 * holder counts as held until it is written again, whatever its age.
 *
 * <p>Thread rule: confined to one thread.
 */
public final class ReplicaLeaseTable {

  /** The label of replica Leases; its value is the prefix of their names. */
  public static final String LABEL = "coxswain.dev/replica-leases";

  static final String GENERATION = "coxswain.dev/limiter-generation";
  static final String POOL = "coxswain.dev/limiter-pool";
  static final String POOL_ON = "on";
  static final String OVERRIDE = "coxswain.dev/limiter-override";
  static final String ADDRESS = "address.coxswain.dev/";
  static final String ATTRIBUTE = "replica.coxswain.dev/";

  private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,5}");

  private final MembershipOptions options;
  private final Map<Integer, Observed> byOrdinal = new TreeMap<>();
  private final Deque<Count> counts = new ArrayDeque<>();
  private long version;
  private long requestedAt;
  private long listedAt;

  /**
   * One Lease, with the times of its last observed change and of the first observation of its
   * holder.
   */
  private static final class Observed {
    private final LeaseObservation observation = new LeaseObservation();
    private final int ordinal;
    private LeaseRecord lease;
    private String holder = "";
    private String acquireTime = "";
    private @Nullable Instant acquired;
    private long observedAt;

    Observed(int ordinal, LeaseRecord lease) {
      this.ordinal = ordinal;
      this.lease = lease;
    }

    void observe(LeaseRecord found, boolean anew, long now) {
      lease = found;
      observation.observe(found, anew, now);
      if (!holder.equals(found.holder())) {
        holder = found.holder();
        observedAt = now;
      }
      if (!acquireTime.equals(found.acquireTime())) {
        acquireTime = found.acquireTime();
        acquired = found.acquired(); // the parser of times costs as much as the rest of a list
      }
    }
  }

  /** The number of held Leases at one moment. */
  private record Count(long at, int held) {}

  ReplicaLeaseTable(MembershipOptions options) {
    this.options = options;
  }

  /**
   * Applies a complete list.
   *
   * @param sent when it was requested
   * @param now when it was received
   */
  void listed(List<LeaseRecord> leases, long sent, long now) {
    boolean away = LeaseRules.wasAway(listedAt, sent, now, options.gap().toNanos());
    requestedAt = sent;
    listedAt = now;
    Map<Integer, Observed> before = new TreeMap<>(byOrdinal);
    byOrdinal.clear();
    for (LeaseRecord lease : leases) {
      version = Math.max(version, Versions.number(lease.resourceVersion()));
      int ordinal = ordinalOf(lease.name());
      if (ordinal >= 0) {
        Observed seen = before.getOrDefault(ordinal, new Observed(ordinal, lease));
        seen.observe(lease, away, now);
        byOrdinal.put(ordinal, seen);
      }
    }
    count(Math.max(1, (int) held().count()), now);
  }

  /** Returns a view for other threads. */
  MembershipView view() {
    return new MembershipView(
        counts.isEmpty() ? 1 : counts.getFirst().held,
        held()
            .map(seen -> {
              LeaseRecord lease = seen.lease;
              return new MembershipView.Entry(
                  new ReplicaLeaseStatus.Taken(
                      seen.ordinal,
                      seen.holder,
                      seen.acquired,
                      lease.annotation(GENERATION),
                      usesPool(seen),
                      false,
                      lease.annotations(ADDRESS),
                      lease.annotations(ATTRIBUTE)),
                  seen.observedAt,
                  seen.observation.isSilent(lease, listedAt, options.times().leaseDuration()));
            })
            .toList(),
        byOrdinal.values().stream()
            .map(seen -> seen.lease.annotation(LeaseRecord.LAST_HOLDER))
            .filter(holder -> !holder.isEmpty())
            .collect(Collectors.toSet()),
        version,
        requestedAt,
        listedAt);
  }

  /** Returns whether a listed Lease has this holder. */
  boolean holds(String identity) {
    return held().anyMatch(seen -> seen.holder.equals(identity));
  }

  /**
   * Returns the ordinal of a Lease that may be acquired now: one under this identity, whose
   * acquisition had no response, a free one, possibly not created yet, or an expired one, in this
   * order.
   */
  OptionalInt free(String identity, long now) {
    return Stream.<Predicate<@Nullable Observed>>of(
            seen -> seen != null && seen.holder.equals(identity),
            seen -> seen == null || seen.holder.isEmpty(),
            seen -> seen != null && left(seen, now).isZero())
        .flatMapToInt(
            rule -> IntStream.range(0, options.count()).filter(i -> rule.test(byOrdinal.get(i))))
        .findFirst();
  }

  /** Returns the Lease of an ordinal as listed, or one that must be created. */
  LeaseRecord leaseOrFresh(int ordinal) {
    Observed seen = byOrdinal.get(ordinal);
    return seen == null
        ? LeaseRecord.unheld(options.namespace(), options.lease(ordinal))
        : seen.lease;
  }

  /** Returns the expired Leases that are still held, without the own one. */
  List<LeaseRecord> expired(int own, long now) {
    return heldByOthers(own).filter(seen -> left(seen, now).isZero()).map(o -> o.lease).toList();
  }

  /** Returns whether no other replica held a Lease when they were listed. */
  boolean isAlone(int own) {
    return heldByOthers(own).findAny().isEmpty();
  }

  /** Returns how long it takes until the next Lease of another replica can have expired. */
  Duration untilNextExpiry(int own, long now) {
    return Stream.concat(
            Stream.of(options.times().leaseDuration()),
            heldByOthers(own).map(seen -> left(seen, now)))
        .min(Comparator.naturalOrder())
        .orElseThrow();
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
    return byOrdinal.values().stream().filter(seen -> !seen.holder.isEmpty());
  }

  private Stream<Observed> heldByOthers(int own) {
    return held().filter(seen -> seen.ordinal != own);
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
