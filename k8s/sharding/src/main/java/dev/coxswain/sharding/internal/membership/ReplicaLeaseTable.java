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
import java.util.Set;
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

  /** How many of the replicas that renew their Leases observe each one. */
  private static final int OBSERVERS = 3;

  /** More than there are, also where replicas are configured with different numbers of Leases. */
  private static final int ORDINALS = 1_000_000;

  private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,5}");

  private final MembershipOptions options;
  private final Map<Integer, Observed> byOrdinal = new TreeMap<>();
  private final Deque<Count> counts = new ArrayDeque<>();
  private int present;
  private long version;
  private long requestedAt;
  private long listedAt;

  /**
   * One Lease, with the times of its last observed change and of the first observation of its
   * holder.
   */
  private static final class Observed {
    private final LeaseObservation observation = new LeaseObservation();

    /** Of lists only, whatever the time between them: not exact enough to end a Lease. */
    private final LeaseObservation ofLists = new LeaseObservation();

    private final int ordinal;
    private long readAt;
    private LeaseRecord lease;
    private String holder = "";
    private String acquireTime = "";
    private @Nullable Instant acquired;
    private long observedAt;

    Observed(int ordinal, LeaseRecord lease) {
      this.ordinal = ordinal;
      this.lease = lease;
    }

    /**
     * Records what a request has returned.
     *
     * @param gap the longest time without such a request after which earlier ones still count
     */
    void observe(LeaseRecord found, long sent, long now, Duration gap) {
      lease = found;
      observation.observe(found, LeaseRules.wasAway(readAt, sent, now, gap.toNanos()), now);
      readAt = now;
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
    requestedAt = sent;
    listedAt = now;
    Map<Integer, Observed> before = new TreeMap<>(byOrdinal);
    byOrdinal.clear();
    for (LeaseRecord lease : leases) {
      version = Math.max(version, Versions.number(lease.resourceVersion()));
      int ordinal = ordinalOf(lease.name());
      if (ordinal >= 0) {
        Observed seen = before.getOrDefault(ordinal, new Observed(ordinal, lease));
        seen.observe(lease, sent, now, options.gap());
        seen.ofLists.observe(lease, now);
        byOrdinal.put(ordinal, seen);
      }
    }
    present = (int) held().count();
    count(Math.max(1, present), now);
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
                  isSilent(seen));
            })
            .toList(),
        holdersIn(LeaseRecord.LAST_HOLDER),
        holdersIn(LeaseRecord.RELEASED_BY),
        version,
        requestedAt,
        listedAt);
  }

  private Set<String> holdersIn(String annotation) {
    return byOrdinal.values().stream()
        .map(seen -> seen.lease.annotation(annotation))
        .filter(holder -> !holder.isEmpty())
        .collect(Collectors.toSet());
  }

  /** Returns whether a listed Lease has this holder. */
  boolean holds(String identity) {
    return held().anyMatch(seen -> seen.holder.equals(identity));
  }

  /**
   * Returns the ordinal of a Lease that may be acquired now: one under this identity, whose
   * acquisition had no response, a free one, possibly not created yet, or an expired one, in this
   * order.
   *
   * @param place which of these, counted from 0, and round again when there are fewer
   */
  OptionalInt free(String identity, long now, int place) {
    List<Predicate<@Nullable Observed>> rules =
        List.of(
            seen -> seen != null && seen.holder.equals(identity),
            seen -> seen == null || seen.holder.isEmpty(),
            seen -> seen != null && left(seen, now).isZero());
    for (Predicate<@Nullable Observed> rule : rules) {
      int[] found =
          IntStream.range(0, options.count()).filter(i -> rule.test(byOrdinal.get(i))).toArray();
      if (found.length > 0) {
        return OptionalInt.of(found[Math.floorMod(place, found.length)]);
      }
    }
    return OptionalInt.empty();
  }

  /** Returns the Lease of an ordinal as listed, or one that must be created. */
  LeaseRecord leaseOrFresh(int ordinal) {
    Observed seen = byOrdinal.get(ordinal);
    return seen == null
        ? LeaseRecord.unheld(options.namespace(), options.lease(ordinal))
        : seen.lease;
  }

  /** Returns the expired Leases that this replica observes and that are still held, without the own one. */
  List<LeaseRecord> expired(int own, long now) {
    return observedBy(own).filter(seen -> left(seen, now).isZero()).map(o -> o.lease).toList();
  }

  /**
   * Returns the Leases whose end this replica is to find: those of all others, and with many replicas those before
   * its own up to the third that is renewed. So each Lease has three observers that renew their own.
   */
  private Stream<Observed> observedBy(int own) {
    if (!isLarge() || own < 0) {
      return heldByOthers(own);
    }
    List<Observed> before =
        heldByOthers(own)
            .sorted(Comparator.comparingInt(seen -> Math.floorMod(own - seen.ordinal, ORDINALS)))
            .toList();
    int end = 0;
    for (int alive = 0; end < before.size() && alive < OBSERVERS; end++) {
      alive += isSilent(before.get(end)) ? 0 : 1;
    }
    return before.subList(0, end).stream();
  }

  /** Returns the names of the Leases to read between two lists. */
  List<String> observedNames(int own) {
    return observedBy(own).map(seen -> seen.lease.name()).toList();
  }

  /** Returns the name of the Lease that an identity held in the last list, or an empty text. */
  String nameOf(String identity) {
    return held()
        .filter(seen -> seen.holder.equals(identity))
        .map(seen -> seen.lease.name())
        .findFirst()
        .orElse("");
  }

  /**
   * Applies one Lease; the view remains that of the last list.
   *
   * @return whether it has the same holder as before
   */
  boolean read(LeaseRecord lease, long sent, long now) {
    Observed seen = byOrdinal.get(ordinalOf(lease.name()));
    if (seen == null || !seen.holder.equals(lease.holder())) {
      return false;
    }
    seen.observe(lease, sent, now, options.gap());
    return true;
  }

  /** Returns whether there are too many replicas for each to list all Leases all the time. */
  boolean isLarge() {
    return options.isLarge(present);
  }

  /** Returns the time between two lists. */
  Duration listPeriod() {
    return options.listPeriod(present);
  }

  /** Returns whether no other replica held a Lease when they were listed. */
  boolean isAlone(int own) {
    return heldByOthers(own).findAny().isEmpty();
  }

  /** Returns how long it takes until the next Lease of another replica can have expired. */
  Duration untilNextExpiry(int own, long now) {
    return Stream.concat(
            Stream.of(options.times().leaseDuration()),
            observedBy(own).map(seen -> left(seen, now)))
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

  /** Returns whether it had not been renewed for half of its duration when it was last listed. */
  private boolean isSilent(Observed seen) {
    LeaseObservation by = isLarge() ? seen.ofLists : seen.observation;
    return by.isSilent(seen.lease, listedAt, options.times().leaseDuration());
  }

  private Duration left(Observed seen, long now) {
    Duration otherwise = options.times().leaseDuration();
    return now - seen.readAt > options.gap().toNanos()
        ? Duration.ofSeconds(seen.lease.durationSeconds(otherwise.toSeconds()))
        : seen.observation.left(seen.lease, now, otherwise);
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
