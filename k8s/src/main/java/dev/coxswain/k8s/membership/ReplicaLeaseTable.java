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
 * All seats as they were listed last, and for how long this process has seen them so. A Lease that
 * names a holder counts as held until somebody has written it anew, whatever its age.
 *
 * <p>Thread rule: confined to one thread.
 */
public final class ReplicaLeaseTable {

  public static final String LABEL = "coxswain.dev/seats";
  static final String GENERATION = "coxswain.dev/limiter-generation";
  static final String POOL = "coxswain.dev/limiter-pool";
  static final String POOL_ON = "on";
  static final String OVERRIDE = "coxswain.dev/limiter-override";
  static final String ADDRESS = "address.coxswain.dev/";

  private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,5}");

  private final MembershipOptions options;
  private final Map<Integer, Seen> seats = new TreeMap<>();
  private final Deque<Count> counts = new ArrayDeque<>();

  /** One seat, with when its Lease changed last and when its holder was seen first. */
  private static final class Seen {
    private final LeaseObservation sight = new LeaseObservation();
    private LeaseRecord lease;
    private String holder = "";
    private long holderSeenAt;

    Seen(LeaseRecord lease) {
      this.lease = lease;
    }

    void observe(LeaseRecord found, long now) {
      lease = found;
      sight.observe(found, now);
      if (!holder.equals(found.holder())) {
        holder = found.holder();
        holderSeenAt = now;
      }
    }

    boolean held() {
      return !holder.isEmpty();
    }
  }

  /** How many seats were held, as seen at one moment. */
  private record Count(long at, int held) {}

  ReplicaLeaseTable(MembershipOptions options) {
    this.options = options;
  }

  /** Notes a complete list that has just been answered. */
  void listed(List<LeaseRecord> leases, long now) {
    Map<Integer, Seen> before = new TreeMap<>(seats);
    seats.clear();
    for (LeaseRecord lease : leases) {
      int seat = seatOf(lease.name());
      if (seat >= 0) {
        Seen seen = before.getOrDefault(seat, new Seen(lease));
        seen.observe(lease, now);
        seats.put(seat, seen);
      }
    }
    count(Math.max(1, (int) held().count()), now);
  }

  /** Returns what others may know of it. */
  MembershipView view() {
    List<MembershipView.Entry> entries = new ArrayList<>();
    seats.forEach((seat, seen) -> {
      if (seen.held()) {
        entries.add(
            new MembershipView.Entry(
                seat,
                seen.holder,
                seen.lease.acquired(),
                seen.lease.annotation(GENERATION),
                usesPool(seen),
                seen.holderSeenAt,
                seen.lease.annotations(ADDRESS)));
      }
    });
    return new MembershipView(counts.isEmpty() ? 1 : counts.getFirst().held, entries);
  }

  /**
   * Returns a seat that may be taken now: one under this identity, whose taking was not answered,
   * one that nobody holds, possibly without a Lease yet, or one that has expired, in this order.
   */
  OptionalInt vacant(String identity, long now) {
    for (IntPredicate rule :
        List.<IntPredicate>of(
            seat -> seats.containsKey(seat) && seen(seat).holder.equals(identity),
            seat -> !seats.containsKey(seat) || !seen(seat).held(),
            seat -> left(seen(seat), now).isZero())) {
      OptionalInt found = IntStream.range(0, options.count()).filter(rule).findFirst();
      if (found.isPresent()) {
        return found;
      }
    }
    return OptionalInt.empty();
  }

  /** Returns the Lease of a seat as it was listed, or one that must be created. */
  LeaseRecord leaseOrFresh(int seat) {
    return seats.containsKey(seat)
        ? seen(seat).lease
        : LeaseRecord.unheld(options.namespace(), options.lease(seat));
  }

  /** Returns the Leases that have expired and that nobody has taken, but for that of one's own. */
  List<LeaseRecord> expired(int own, long now) {
    List<LeaseRecord> result = new ArrayList<>();
    seats.forEach((seat, seen) -> {
      if (seat != own && seen.held() && left(seen, now).isZero()) {
        result.add(seen.lease);
      }
    });
    return result;
  }

  /** Returns how long it takes until the next Lease of somebody else can have expired. */
  Duration untilNextExpiry(int own, long now) {
    Duration least = options.times().leaseDuration();
    for (Map.Entry<Integer, Seen> entry : seats.entrySet()) {
      if (entry.getKey() != own && entry.getValue().held()) {
        Duration left = left(entry.getValue(), now);
        least = left.compareTo(least) < 0 ? left : least;
      }
    }
    return least;
  }

  /**
   * Returns whether a new user of the pool may begin: no other generation holds a seat, or one of
   * this generation uses the pool already.
   */
  boolean mayUsePool() {
    return held().allMatch(this::ownGeneration)
        || held().anyMatch(seen -> ownGeneration(seen) && usesPool(seen));
  }

  /**
   * Returns what a Lease shows of overrides. It names the holder: a holder that does not write it,
   * being of an older version, leaves there what the holder before has written.
   */
  static String override(boolean may, String holder) {
    return (may ? "received " : "none ") + holder;
  }

  /** Returns whether a held Lease, other than one's own, does not rule an override out. */
  boolean showsOverride(String identity) {
    return held()
        .filter(seen -> !seen.holder.equals(identity))
        .anyMatch(seen -> !seen.lease.annotation(OVERRIDE).equals(override(false, seen.holder)));
  }

  private Stream<Seen> held() {
    return seats.values().stream().filter(Seen::held);
  }

  private boolean ownGeneration(Seen seen) {
    return seen.lease.annotation(GENERATION).equals(options.generation());
  }

  private static boolean usesPool(Seen seen) {
    return seen.lease.annotation(POOL).equals(POOL_ON);
  }

  private Duration left(Seen seen, long now) {
    return seen.sight.left(seen.lease, now, options.times().leaseDuration());
  }

  private Seen seen(int seat) {
    Seen seen = seats.get(seat);
    if (seen == null) {
      throw new IllegalStateException("seat " + seat + " has no Lease");
    }
    return seen;
  }

  /** Keeps only what can still become the largest. */
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

  /** Returns the seat of a Lease of this name, or -1. */
  private int seatOf(String name) {
    String start = options.prefix() + "-";
    String number = name.startsWith(start) ? name.substring(start.length()) : "";
    return NUMBER.matcher(number).matches() ? Integer.parseInt(number) : -1;
  }
}
