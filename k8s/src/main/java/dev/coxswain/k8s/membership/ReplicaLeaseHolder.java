// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.Releases;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of holding one of several seats, one step at a time and without a thread of its own.
 *
 * <p>Thread rule: {@link #step} and {@link #release} on one thread; the rest on any.
 */
final class ReplicaLeaseHolder {
  // One holder
  //
  // A seat is held for as long as its Lease names the holder, and changes hands only by replacing
  // exactly the version that was read. Whoever takes, or vacates, the Lease of somebody else has
  // seen that version unchanged for its whole duration, on its own clock. A holder counts its own,
  // shorter time from when it sent the renewal, so it has stopped acting by then; and its next
  // renewal fails, because it replaces a version that is gone. No two clocks are compared, and a
  // request that is late for however long cannot do harm.
  //
  // One generation in the pool
  //
  // A replica writes its Lease first and lists all Leases afterwards. It begins to use the pool
  // only if the list shows no other generation, or one of its own generation that uses it already.
  // Of two replicas, one lists after the other has written; so of two generations that meet, at
  // least one sees the other before it begins. A dead replica counts as gone only when its Lease
  // has been vacated: what one replica takes for dead no other one can take for alive.
  //
  // How old a view may be
  //
  // The size of the majority comes from the list. Everybody who uses the pool has listed within the
  // settling time, and has sat for longer than that: so each has seen all the others.
  //
  // Overrides
  //
  // Each renewal shows an override that its replica has received, or seen in the Lease of another.
  // A replica that takes over or vacates a Lease which shows one has shown it itself by then.

  private static final Logger log = LoggerFactory.getLogger(ReplicaLeaseHolder.class);
  private static final double JITTER = 0.2;
  private static final int QUICK = 10;

  private final MembershipOptions options;
  private final ReplicaLeaseStore store;
  private final Clock clock;
  private final RandomGenerator random;
  private final Supplier<String> identities;
  private final BooleanSupplier mayBeOverridden;
  private final Map<String, String> addresses = new ConcurrentHashMap<>();

  // Confined to step.
  private final ReplicaLeaseTable table;
  private String identity;
  private int seat = Standing.NO_SEAT;

  /** The Lease of the seat as stored last; null when it must be read again. */
  private @Nullable LeaseRecord mine;

  private volatile Standing standing;
  private volatile boolean resigned;

  /** What others may know; replaced as a whole. */
  private record Standing(
      int seat,
      String identity,
      long deadline,
      long heldFrom,
      boolean pool,
      long listedAt,
      boolean overrideSeen,
      MembershipView view,
      String outOfReach) {

    static final int NO_SEAT = -1;

    Standing holding(int newSeat, long newDeadline, long from) {
      return new Standing(
          newSeat, identity, newDeadline, from, pool, listedAt, overrideSeen, view, outOfReach);
    }

    Standing listed(MembershipView newView, boolean newPool, boolean override, long at) {
      boolean o = overrideSeen || override;
      return new Standing(seat, identity, deadline, heldFrom, newPool, at, o, newView, outOfReach);
    }

    Standing seatless(String newIdentity) {
      return new Standing(
          NO_SEAT, newIdentity, 0, 0, false, listedAt, overrideSeen, view, outOfReach);
    }

    Standing outOfReach(String why) {
      return new Standing(
          seat, identity, deadline, heldFrom, pool, listedAt, overrideSeen, view, why);
    }
  }

  ReplicaLeaseHolder(
      MembershipOptions options,
      ReplicaLeaseStore store,
      Clock clock,
      RandomGenerator random,
      Supplier<String> identities,
      BooleanSupplier mayBeOverridden) {
    this.options = options;
    this.store = store;
    this.clock = clock;
    this.random = random;
    this.identities = identities;
    this.mayBeOverridden = mayBeOverridden;
    this.table = new ReplicaLeaseTable(options);
    this.identity = identities.get();
    this.standing =
        new Standing(
            Standing.NO_SEAT,
            identity,
            0,
            0,
            false,
            clock.nanos(),
            false,
            MembershipView.EMPTY,
            "");
  }

  boolean mayAct() {
    return acts(standing, clock.nanos());
  }

  boolean poolAllowed() {
    Standing now = standing;
    return poolProblem(now, clock.nanos()).isEmpty();
  }

  Optional<ReplicaLeases.Held> held() {
    Standing now = standing;
    return now.seat == Standing.NO_SEAT
        ? Optional.empty()
        : Optional.of(new ReplicaLeases.Held(now.seat, now.heldFrom));
  }

  int liveReplicas() {
    return standing.view.live();
  }

  boolean overrideSeen() {
    return standing.overrideSeen;
  }

  boolean othersListed() {
    Standing now = standing;
    return now.seat != Standing.NO_SEAT
        && now.listedAt - now.heldFrom >= 0
        && clock.nanos() - now.listedAt < options.settle().toNanos();
  }

  void announce(String key, String value) {
    addresses.put(ReplicaLeaseTable.ADDRESS + key, value);
  }

  ReplicaLeaseStatus status() {
    Standing known = standing;
    long now = clock.nanos();
    String problem = poolProblem(known, now);
    return new ReplicaLeaseStatus(
        known.seat == Standing.NO_SEAT ? OptionalInt.empty() : OptionalInt.of(known.seat),
        known.identity,
        acts(known, now),
        problem.isEmpty(),
        known.view.live(),
        options.count(),
        known.view.taken(now, options.settle()),
        problem);
  }

  private boolean acts(Standing of, long now) {
    return !resigned && of.seat != Standing.NO_SEAT && now - of.deadline < 0;
  }

  private String poolProblem(Standing of, long now) {
    String cause = of.outOfReach.isEmpty() ? "" : ": " + of.outOfReach;
    if (of.seat == Standing.NO_SEAT) {
      return !of.outOfReach.isEmpty() || of.view.entries().isEmpty()
          ? "is looking for a seat" + cause
          : "all " + options.count() + " seats are taken, by " + of.view.holders();
    }
    if (resigned) {
      return "is stopping";
    }
    if (now - of.deadline >= 0) {
      return "the Lease could not be renewed in time" + cause;
    }
    if (!of.pool) {
      return "replicas of another generation use the pool, or may: "
          + of.view.otherThan(options.generation());
    }
    if (now - of.listedAt >= options.settle().toNanos()) {
      return "the other replicas could not be looked at" + cause;
    }
    if (now - of.heldFrom < options.settle().toNanos()) {
      return "the seat was taken a moment ago; the pool is used "
          + options.settle().toMillis()
          + " ms after that";
    }
    return "";
  }

  /** Renews or looks for a seat, looks at the others, and returns how long to wait then. */
  Duration step() {
    long begun = clock.nanos();
    try {
      boolean again = seat == Standing.NO_SEAT ? seek() : renew();
      if (!again && seat != Standing.NO_SEAT) {
        again = look();
      }
      if (!standing.outOfReach.isEmpty()) {
        standing = standing.outOfReach("");
        log.atInfo().addKeyValue("identity", identity).log("replica leases reachable again");
      }
      return again ? quick() : untilNext(begun);
    } catch (ApiStatusException e) {
      // Whether it was stored is unknown, or somebody else was faster: read before the next try.
      mine = null;
      if (e.isConflict()) {
        return quick();
      }
      outOfReach(String.valueOf(e.getMessage()));
      return untilNext(begun);
    } catch (Throwable e) {
      // By a plug-in of the client, for instance; the caller reports it.
      mine = null;
      outOfReach(UserCode.text(e));
      throw e;
    }
  }

  private void outOfReach(String why) {
    if (standing.outOfReach.isEmpty()) {
      log.atWarn()
          .addKeyValue("identity", identity)
          .addKeyValue("problem", why)
          .log("replica leases unreachable, retrying");
    }
    standing = standing.outOfReach(why);
  }

  private Duration quick() {
    return options.times().retryPeriod().dividedBy(QUICK);
  }

  private Duration untilNext(long begun) {
    long now = clock.nanos();
    long period = options.times().retryPeriod().toNanos();
    long wait = period - (now - begun);
    if (seat == Standing.NO_SEAT) {
      wait = (long) (period * (1 + JITTER * random.nextDouble()));
    }
    wait = Math.min(wait, table.untilNextExpiry(seat, now).toNanos());
    return Duration.ofNanos(Math.max(wait, quick().toNanos()));
  }

  /** Takes a seat if there is one; returns whether to try again soon. */
  private boolean seek() {
    list();
    OptionalInt vacant = table.vacant(identity, clock.nanos());
    if (vacant.isEmpty()) {
      return false;
    }
    int wanted = vacant.getAsInt();
    LeaseRecord before = table.leaseOrFresh(wanted);
    long sent = clock.nanos();
    LeaseRecord stored;
    if (before.resourceVersion().isEmpty()) {
      stored = create(held(before));
    } else {
      stored = store.update(held(before));
    }
    seat = wanted;
    log.atInfo()
        .addKeyValue("seat", seat)
        .addKeyValue("identity", identity)
        .log("acquired replica lease");
    hold(stored, sent, clock.nanos());
    return false;
  }

  private LeaseRecord create(LeaseRecord lease) {
    try {
      return store.create(lease);
    } catch (ApiStatusException e) {
      if (e.isConflict()) {
        // One that was made by hand lacks the label; without it no list would ever show it.
        store
            .get(lease.name())
            .filter(found -> found.label(ReplicaLeaseTable.LABEL).isEmpty())
            .ifPresent(found ->
                store.update(found.marked(ReplicaLeaseTable.LABEL, options.prefix(), Map.of())));
      }
      throw e;
    }
  }

  /** Renews the Lease; returns whether the seat is gone, so that another one is looked for. */
  private boolean renew() {
    long sent = clock.nanos();
    LeaseRecord present = mine != null ? mine : store.get(options.lease(seat)).orElse(null);
    if (present == null || !present.holder().equals(identity)) {
      lose(present == null ? "its Lease was deleted" : "somebody else has vacated or taken it");
      return true;
    }
    hold(store.update(held(present)), sent, standing.heldFrom);
    return false;
  }

  private LeaseRecord held(LeaseRecord lease) {
    Map<String, String> annotations = new TreeMap<>(addresses);
    annotations.put(ReplicaLeaseTable.GENERATION, options.generation());
    annotations.put(ReplicaLeaseTable.POOL, standing.pool ? ReplicaLeaseTable.POOL_ON : "off");
    boolean may = mayBeOverridden.getAsBoolean();
    annotations.put(ReplicaLeaseTable.OVERRIDE, ReplicaLeaseTable.override(may, identity));
    return lease
        .heldBy(identity, options.times().leaseDuration().toSeconds(), clock.instant())
        .marked(ReplicaLeaseTable.LABEL, options.prefix(), annotations);
  }

  private void hold(LeaseRecord stored, long sent, long heldFrom) {
    mine = stored;
    standing = standing.holding(seat, sent + options.times().renewDeadline().toNanos(), heldFrom);
  }

  private void lose(String why) {
    log.atWarn()
        .addKeyValue("seat", seat)
        .addKeyValue("identity", identity)
        .addKeyValue("why", why)
        .log("lost replica lease, acquiring another one under a new identity");
    seat = Standing.NO_SEAT;
    mine = null;
    identity = identities.get();
    standing = standing.seatless(identity);
  }

  /** Looks at everybody; returns whether there is something to publish soon. */
  private boolean look() {
    boolean before = standing.pool;
    list();
    for (LeaseRecord expired : table.expired(seat, clock.nanos())) {
      vacate(expired);
    }
    return standing.pool && !before;
  }

  private void list() {
    long sent = clock.nanos();
    table.listed(store.list(), clock.nanos());
    // Once in the pool, always: until the seat is lost nobody else can have begun.
    boolean pool = seat != Standing.NO_SEAT && (standing.pool || table.mayUsePool());
    standing = standing.listed(table.view(), pool, table.showsOverride(identity), sent);
  }

  private void vacate(LeaseRecord expired) {
    try {
      store.update(expired.released(clock.instant()));
      log.atWarn()
          .addKeyValue("lease", expired.name())
          .addKeyValue("holder", expired.holder())
          .log("released expired replica lease");
    } catch (ApiStatusException e) {
      if (!e.isConflict() && !e.isNotFound()) {
        throw e; // otherwise it came back, or somebody else was faster
      }
    }
  }

  /** Stops acting for good, without giving the seat up yet. */
  void resign() {
    resigned = true;
  }

  /** Gives the seat up, so that the next one need not wait. */
  void release() {
    int held = seat;
    if (held == Standing.NO_SEAT) {
      return;
    }
    seat = Standing.NO_SEAT;
    standing = standing.seatless(identity);
    try {
      Releases.release(store.lease(options.lease(held)), identity, clock);
    } catch (ApiStatusException e) {
      // It will expire by itself; the others wait a little longer.
      log.atInfo()
          .addKeyValue("identity", identity)
          .addKeyValue("problem", e.getMessage())
          .log("replica lease could not be released");
    }
  }
}
