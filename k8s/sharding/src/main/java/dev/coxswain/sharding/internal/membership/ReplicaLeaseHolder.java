// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.lease.LeaseRules;
import dev.coxswain.sharding.internal.lease.LeaseStore;
import dev.coxswain.sharding.internal.lease.Releases;
import dev.coxswain.sharding.internal.membership.ReplicaLeases.Held;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of holding one of several replica Leases, one step at a time and without a thread of
 * its own.
 *
 * <p>Thread rule: {@link #step} and {@link #release} on one thread; the rest on any.
 */
final class ReplicaLeaseHolder {
  // One holder per ordinal
  //
  // A Lease is held for as long as it names the holder, and changes hands only by replacing exactly
  // the version that was read. A replica that takes or releases the Lease of another one has
  // observed that version unchanged for its whole duration, on its own clock. A holder counts its
  // own, shorter time from when it sent the renewal, so it has stopped acting by then; and its next
  // renewal fails, because it replaces a version that is gone. No two clocks are compared, and a
  // request that arrives late, by any time, does no harm.
  //
  // One generation in the pool
  //
  // A replica writes its Lease first and lists all Leases afterwards. It begins to use the pool
  // only if the list contains no other generation, or one of its own generation that uses it
  // already. Of two replicas, one lists after the other has written; so of two generations that
  // meet, at least one finds the other before it begins. A dead replica counts as gone only when
  // its Lease has been released: all replicas read that from the same object.
  //
  // Many replicas
  //
  // Lists of all Leases by all replicas grow with the square of their number. From some number on
  // each replica lists seldom, and in between reads the Leases before its own, up to the third that
  // is renewed: their ends are found as soon as with few replicas. Who ends a Lease, and how it was
  // read, does not matter for the rule above. What follows from a list depends on when it was sent
  // and not on how often there is one; one that this replica needs is sent at once, since its own
  // Lease has changed.
  //
  // Age of a list
  //
  // The size of the majority comes from the list. Every user of the pool has listed within the
  // settling time, and has held its Lease for longer than that: so each is in the lists of all
  // others.
  //
  // Overrides
  //
  // Each renewal contains an override that its replica has received, or read in the Lease of
  // another one. A replica that takes over or releases a Lease with an override has written it to
  // its own Lease by then.

  private static final Logger log = LoggerFactory.getLogger(ReplicaLeaseHolder.class);
  private static final double JITTER = 0.2;
  private static final int QUICK = 10;

  private static final int NONE = -1;
  private static final int MAX_DOUBLINGS = 9;

  private final MembershipOptions options;
  private final ReplicaLeaseStore store;
  private final Clock clock;
  private final RandomGenerator random;
  private final Supplier<String> identities;
  private final LeaseAnnotations annotations;

  // Confined to step.
  private final ReplicaLeaseTable table;
  private final LeaseReads reads;
  private String identity;
  private int ordinal = NONE;
  private int conflicts;
  private long listedAt;
  private boolean listWanted = true;

  /** The Lease as last stored; null when it must be read again. */
  private @Nullable LeaseRecord mine;

  /** The uid of that Lease: another one with the same name is not the one that was held. */
  private String uid = "";

  /** Whether a request to acquire a Lease under this identity may still arrive. */
  private boolean acquisitionPending;

  /** The state for other threads; replaced as a whole. */
  private volatile MembershipState state;

  /** When the last successful renewal was sent. */
  private long renewedAt;

  private final AtomicLong fenced = new AtomicLong();

  private volatile boolean resigned;

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
    this.annotations = new LeaseAnnotations(options, mayBeOverridden);
    this.table = new ReplicaLeaseTable(options);
    this.reads = new LeaseReads(store, table, clock);
    this.identity = identities.get();
    this.state = MembershipState.initial(identity, clock.nanos());
  }

  boolean mayAct() {
    return !resigned && state.mayAct(clock.nanos());
  }

  boolean poolAllowed() {
    return state.poolProblem(options, resigned, clock.nanos()).isEmpty();
  }

  long fenced() {
    return fenced.get();
  }

  Optional<Held> held() {
    return Optional.ofNullable(state.held());
  }

  int liveReplicas() {
    return state.view().live();
  }

  boolean overrideSeen() {
    return state.overrideSeen();
  }

  boolean othersListed() {
    return state.othersListed(options, clock.nanos());
  }

  ReplicaLeaseStatus status() {
    return state.status(options, resigned, clock.nanos());
  }

  void announce(String key, String value) {
    annotations.announce(key, value);
  }

  void publish(String key, String value) {
    annotations.publish(key, value);
  }

  ReplicaLeases.OwnLease own() {
    MembershipState now = state;
    return new ReplicaLeases.OwnLease(
        now.identity(),
        now.held() != null && !resigned,
        now.deadline(),
        now.attributes(),
        now.storedAt());
  }

  LeaseReads reads() {
    return reads;
  }

  Optional<ReplicaLeases.LeaseList> lastList() {
    MembershipState now = state;
    MembershipView view = now.view();
    return view.equals(MembershipView.EMPTY)
        ? Optional.empty()
        : Optional.of(
            new ReplicaLeases.LeaseList(
                view.entries().stream().map(MembershipView.Entry::lease).toList(),
                view.silent(),
                view.lastHolders(),
                view.version(),
                view.sent(),
                view.received()));
  }

  /**
   * Renews or acquires a Lease, lists the others, and returns how long to wait until the next step.
   */
  Duration step() {
    long begun = clock.nanos();
    try {
      boolean again = ordinal == NONE ? acquire() : isRenewalDue(begun) && renew();
      if (!again && ordinal != NONE) {
        again = observeOthers();
      }
      if (!state.unreachable().isEmpty()) {
        state = state.unreachable("");
        log.atInfo().addKeyValue("identity", identity).log("replica leases reachable again");
      }
      return again ? quick() : untilNext(begun);
    } catch (ApiStatusException e) {
      // The result of the write is unknown, or another replica was faster: read before the next
      // try.
      mine = null;
      if (e.isConflict()) {
        acquisitionPending = false;
        conflicts += ordinal == NONE ? 1 : 0;
        return quick();
      }
      unreachable(String.valueOf(e.getMessage()));
      return untilNext(begun);
    } catch (Throwable e) {
      // By a plug-in of the client, for instance; the caller reports it.
      mine = null;
      unreachable(UserCode.text(e));
      throw e;
    }
  }

  private void unreachable(String why) {
    if (state.unreachable().isEmpty()) {
      log.atWarn()
          .addKeyValue("identity", identity)
          .addKeyValue("problem", why)
          .log("replica leases unreachable, retrying");
    }
    state = state.unreachable(why);
  }

  /** Lets the next step renew the Lease. */
  void wantRenewal() {
    annotations.wantRenewal();
  }

  private boolean isRenewalDue(long now) {
    return annotations.isRenewalWanted() || mine == null || untilRenewal(now) <= quick().toNanos();
  }

  private long untilRenewal(long now) {
    return options.times().retryPeriod().toNanos() - (now - renewedAt);
  }

  private Duration quick() {
    return Duration.ofNanos(options.times().retryPeriod().toNanos() / QUICK);
  }

  /**
   * The end of a replica is found this much later at most: a Lease counts from the response with it. A
   * replica without others lists with its renewals only. After a step that failed it lists sooner:
   * otherwise the time since its last list would exceed the gap after which observations start
   * again from zero.
   */
  private Duration observationPeriod() {
    Duration renewal = options.times().retryPeriod();
    if (table.isAlone(ordinal) && state.unreachable().isEmpty()) {
      return renewal;
    }
    return options.observationPeriod();
  }

  private Duration untilNext(long begun) {
    long now = clock.nanos();
    long wait;
    if (ordinal == NONE) {
      long period = options.times().retryPeriod().toNanos();
      wait = (long) (period * (1 + JITTER * random.nextDouble()));
    } else {
      wait = Math.min(untilRenewal(now), observationPeriod().toNanos() - (now - begun));
    }
    wait = Math.min(wait, table.untilNextExpiry(ordinal, now).toNanos());
    return Duration.ofNanos(Math.max(wait, quick().toNanos()));
  }

  /** Acquires a Lease if one is free; returns whether to retry soon. */
  private boolean acquire() {
    list();
    if (acquisitionPending && !table.holds(identity)) {
      // A late arrival must not give a second Lease to an identity that holds one.
      changeIdentity();
    }
    OptionalInt free = table.free(identity, clock.nanos(), place());
    if (free.isEmpty()) {
      return false;
    }
    int wanted = free.getAsInt();
    LeaseRecord before = table.leaseOrFresh(wanted);
    long sent = clock.nanos();
    acquisitionPending = true;
    LeaseRecord stored =
        before.resourceVersion().isEmpty()
            ? create(withHolder(before))
            : store.lease(before.name()).update(withHolder(before));
    acquisitionPending = false;
    conflicts = 0;
    ordinal = wanted;
    hold(stored, sent, new Held(ordinal, clock.nanos()));
    log.atInfo()
        .addKeyValue("ordinal", ordinal)
        .addKeyValue("identity", identity)
        .log("acquired replica lease");
    return false;
  }

  /** Returns which of the free Leases to want: replicas that start together would all want the first. */
  private int place() {
    return random.nextInt(1 << Math.min(conflicts, MAX_DOUBLINGS));
  }

  private LeaseRecord create(LeaseRecord lease) {
    LeaseStore one = store.lease(lease.name());
    try {
      return one.create(lease);
    } catch (ApiStatusException e) {
      if (e.isConflict()) {
        // A Lease that was created by hand lacks the label; without it no list contains it.
        one.get()
            .filter(found -> found.label(ReplicaLeaseTable.LABEL).isEmpty())
            .ifPresent(found ->
                one.update(found.marked(ReplicaLeaseTable.LABEL, options.prefix(), Map.of())));
      }
      throw e;
    }
  }

  /** Renews the Lease; returns whether it is lost, so that another one is acquired. */
  private boolean renew() {
    long sent = clock.nanos();
    listWanted |= annotations.isRenewalWanted();
    annotations.renewing();
    LeaseStore own = store.lease(options.lease(ordinal));
    LeaseRecord present = mine != null ? mine : own.get().orElse(null);
    if (present == null || !present.holder().equals(identity)) {
      lose(present == null ? "its Lease was deleted" : "another replica has released or taken it");
      return true;
    }
    if (!present.uid().equals(uid)) {
      lose("its Lease was deleted, and another one was created");
      return true;
    }
    hold(own.update(withHolder(present)), sent, Objects.requireNonNull(state.held()));
    return false;
  }

  private LeaseRecord withHolder(LeaseRecord lease) {
    long seconds = options.times().leaseDuration().toSeconds();
    return annotations.mark(
        lease.heldBy(identity, seconds, clock.instant()), identity, state.pool());
  }

  private void hold(LeaseRecord stored, long sent, Held held) {
    listWanted |= state.held() == null;
    mine = stored;
    uid = stored.uid();
    renewedAt = sent;
    state =
        state.holding(
            held,
            LeaseRules.writeDeadline(sent, options.times().renewDeadline().toNanos()),
            stored.annotations(ReplicaLeaseTable.ATTRIBUTE),
            clock.nanos());
  }

  private void lose(String why) {
    log.atWarn()
        .addKeyValue("ordinal", ordinal)
        .addKeyValue("identity", identity)
        .addKeyValue("reason", why)
        .log("lost replica lease, acquiring another one under a new identity");
    ordinal = NONE;
    mine = null;
    changeIdentity();
  }

  private void changeIdentity() {
    acquisitionPending = false;
    identity = identities.get();
    state = state.released(identity);
  }

  /** Lists the Leases, or reads those that this replica observes; returns whether the own one must be renewed soon. */
  private boolean observeOthers() {
    boolean before = state.pool();
    if (isListDue() || !reads.observe(ordinal, renewedAt + options.settle().toNanos())) {
      list();
    }
    List<LeaseRecord> expired = table.expired(ordinal, clock.nanos());
    expired.forEach(this::releaseExpired);
    if (!expired.isEmpty()) {
      list(); // what the end of a replica permits need not wait for the next step
    }
    return state.pool() && !before;
  }

  private boolean isListDue() {
    long since = clock.nanos() - listedAt;
    return listWanted || !table.isLarge() || since >= table.listPeriod().minus(quick()).toNanos();
  }

  private void list() {
    long sent = clock.nanos();
    table.listed(store.list(), sent, clock.nanos());
    listedAt = sent;
    listWanted = false;
    reads.listed();
    // Once in the pool, always: until the Lease is lost no other generation can have begun.
    boolean pool = ordinal != NONE && (state.pool() || table.mayUsePool());
    state = state.listed(table.view(), pool, table.showsOverride(identity), sent);
  }

  private void releaseExpired(LeaseRecord expired) {
    try {
      store.lease(expired.name()).update(expired.released(clock.instant()));
      log.atWarn()
          .addKeyValue("lease", expired.name())
          .addKeyValue("holder", expired.holder())
          .log("released expired replica lease");
      fenced.incrementAndGet();
    } catch (ApiStatusException e) {
      if (!e.isConflict() && !e.isNotFound()) {
        throw e; // otherwise it was renewed, or another replica was faster
      }
    }
  }

  /** Stops acting for good, without releasing the Lease yet. */
  void resign() {
    resigned = true;
  }

  /** Releases the Lease, so that the next holder need not wait. */
  void release() {
    int held = ordinal;
    if (held == NONE) {
      return;
    }
    ordinal = NONE;
    state = state.released(identity);
    Releases.release(store.lease(options.lease(held)), identity, clock);
  }
}
