// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.budget.Degradation.Report;
import dev.coxswain.limiter.internal.budget.PoolClient.Call;
import dev.coxswain.limiter.internal.budget.WaiterQueue.QueuedWaiter;
import dev.coxswain.retry.BudgetSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one limiter on this replica and its decisions: which retry may start, what to
 * request from the pool, and which waiters to wake. {@link SharedRetryBudget} sends and wakes.
 *
 * <p>Thread rule: guarded by the budget. {@code now} is always the time of the budget's clock.
 */
final class BudgetState {
  // How a retry gets its permit
  //
  // A waiter that requests a permit is queued. It gets one when more permits and floor tokens are
  // usable now than waiters are before it. If not, it receives the time at which one will be
  // usable, and the budget requests as many permits from the pool as retries wait, up to a bound.
  // When they arrive, the first waiters are woken. A permit belongs to no retry until one starts;
  // unused it expires.
  //
  // Times
  //
  // The delays in a reply count from the moment at which the pool handled the request, which is
  // after the call was sent and before the reply arrived. So a permit is usable from "received +
  // delay" until "sent + delay + lifetime" by the local clock, which is inside its lifetime at the
  // pool. Two clocks differ in speed by 5 % at most, so both ends are moved by that part of the
  // time until then. The slack is reserved for the time until the reconciler starts.
  //
  // Permits are granted a short time ahead only. A replica that gets none requests again when the
  // next one can be granted, and a little later by chance: otherwise that which is closest to the
  // owner would always be the first.
  //
  // A new replica
  //
  // Until the pool has replied, a lower override may be in force that this replica has not
  // received, and its configured floor may exceed that. So until then it uses its floor only while
  // the Leases, listed recently, show no override. This ends after the time that a member takes to
  // join, because the pool may be unreachable for long. An override that other Leases have shown is
  // also shown in its own Lease until the pool has replied, because the replica that received it
  // may have ended.

  private static final long RECHECK_NANOS = 1_000_000_000;
  private static final long NO_LEASE_NANOS = 250_000_000;
  private static final int MAX_ESTIMATE_SECONDS = 1_000_000;

  /** The multiple of the age of the view for which a new replica does not use its floor, see above. */
  private static final int FLOOR_WAIT_FACTOR = 2;

  private final String name;
  private final ReplicaView view;
  private final long floorWait;

  private final WaiterQueue waiters = new WaiterQueue();
  private final HeldTokens heldTokens = new HeldTokens();
  private final PoolClient poolClient = new PoolClient();
  private final StartLog starts = new StartLog();
  private final EffectiveLimit limit;
  private final Degradation degradation;

  private @Nullable ClockSample sample;
  private double poolTokens = Double.NaN;
  private ClusterReport clusterReport = ClusterReport.NONE;
  private long denied;
  private long failed;

  /** Throws an {@link IllegalArgumentException} naming the key when the burst is too small. */
  BudgetState(LimiterSpec spec, ClusterShape shape, ReplicaView view, long coldNanos) {
    this.floorWait = FLOOR_WAIT_FACTOR * Math.min(coldNanos, Long.MAX_VALUE / 8);
    this.name = spec.name();
    this.view = view;
    this.limit = new EffectiveLimit(spec, shape);
    this.degradation = new Degradation(spec.name());
  }

  // ---- waiters ----

  void open(QueuedWaiter waiter) {
    waiters.open(waiter);
  }

  /** Removes a waiter, for good or until its next request, and returns the waiters to wake. */
  List<QueuedWaiter> withdraw(QueuedWaiter waiter, boolean forGood, long now) {
    if (forGood) {
      waiters.close(waiter);
    } else {
      waiters.leave(waiter);
    }
    return toWake(now); // the permits that it waited for are for those behind it now
  }

  /** Returns the waiters whose permits have arrived, to be woken after the lock is released. */
  List<QueuedWaiter> toWake(long now) {
    return waiters.toWake(heldTokens.permits(), now);
  }

  /**
   * Takes a permit or token and returns 0, or returns the time until the next one that is known.
   *
   * @param waiting how many retries of this waiter wait
   */
  long take(QueuedWaiter waiter, int waiting, long now) {
    waiters.enter(waiter, waiting, now);
    Lease lease = view.lease();
    refresh(lease, now); // also gives up late calls
    if (lease == null || !view.mayAct()) {
      return NO_LEASE_NANOS;
    }
    int before = waiters.before(waiter, now);
    if (heldTokens.usable(now) <= before) {
      return heldTokens.until(before + 1, now);
    }
    if (heldTokens.take(now)) {
      poolClient.used(outstanding());
    }
    starts.started(now, limit.rate(), limit.burst());
    waiters.served(waiter);
    if (waiter.queued) {
      waiter.expectedAt = now + Math.min(RECHECK_NANOS, heldTokens.until(1, now));
    }
    return 0;
  }

  /**
   * Counts a request that was not granted, and returns the time until the waiter's next request;
   * after {@link #nextCall}, whose reply may come sooner than the next known permit.
   *
   * @param wait what {@link #take} has returned
   */
  long deny(QueuedWaiter waiter, long wait, long now) {
    denied++;
    long pause = Math.max(1, Math.min(wait, recheckIn(now)));
    waiter.expectedAt = now + pause;
    return pause;
  }

  /** Drops what has expired. Methods that read state without a refresh rely on a call before. */
  void refresh(long now) {
    refresh(view.lease(), now);
  }

  private void refresh(@Nullable Lease lease, long now) {
    limit.update(now);
    int expired =
        heldTokens.update(lease, limit.split(), mayUseFloor(lease, now), view.poolAllowed(), now);
    if (expired > 0) {
      poolClient.expired(outstanding());
    }
    failed += poolClient.giveUp(limit.split().permitNanos(), now);
  }

  private void updateFloor(long now) {
    Lease lease = view.lease();
    heldTokens.updateFloor(lease, limit.split(), mayUseFloor(lease, now), now);
  }

  private boolean mayUseFloor(@Nullable Lease lease, long now) {
    return limit.isKnown()
        || (view.othersListed() && !view.overrideSeen())
        || (lease != null && now - lease.heldSinceNanos() >= floorWait);
  }

  /** See {@link LimiterMember#mayBeOverridden}. */
  boolean mayBeOverridden(long now) {
    return limit.isKnown() ? limit.held(now) != null : view.overrideSeen();
  }

  /** See {@link EffectiveLimit#change}; returns the waiters to wake. */
  List<QueuedWaiter> change(LimiterSpec to, long settlesIn, long now) {
    refresh(now);
    limit.change(to, settlesIn, now);
    updateFloor(now);
    return toWake(now);
  }

  /** Returns the limits of now. */
  EffectiveLimit limit(long now) {
    limit.update(now);
    return limit;
  }

  /** Returns the override that this replica applies, or null. */
  PoolRequest.@Nullable Held held(long now) {
    return limit.held(now);
  }

  private int outstanding() {
    return limit.split().outstanding();
  }

  private long recheckIn(long now) {
    long look = poolClient.pauseLeft(now, RECHECK_NANOS);
    return poolClient.untilGivenUp(limit.split().permitNanos(), now, look);
  }

  // ---- the pool ----

  /** Returns a call to send, when the waiting retries lack permits; or null. */
  @Nullable Call nextCall(long now) {
    return poolClient.mayCall(now) && lacking(now) > 0 ? poolClient.begin(now) : null;
  }

  /** Returns a call that reads the state of the pool, needed or not; null when none may be sent. */
  @Nullable Call idleCall(long now) {
    return view.poolAllowed() && poolClient.mayCall(now) ? poolClient.begin(now) : null;
  }

  private int lacking(long now) {
    if (view.lease() == null || !view.mayAct() || !view.poolAllowed()) {
      return 0;
    }
    int most = poolClient.window(outstanding());
    return Math.max(0, waiters.demand(most, now) - heldTokens.permits() - poolClient.requested());
  }

  /** Begins to send a call, which requests the permits that are lacking now; false when it was given up. */
  boolean send(Call call, long now) {
    refresh(now);
    if (call.givenUp) {
      return false;
    }
    poolClient.send(call, lacking(now), now);
    return true;
  }

  /**
   * Handles the end of a call.
   *
   * @param reply the reply, or null when there is none that can be decoded
   * @param error the failure, or null
   * @param wall the wall-clock time, for display
   */
  void answered(
      Call call, @Nullable PoolReply reply, @Nullable Throwable error, long now, Instant wall) {
    poolClient.answered(call);
    if (reply != null && reply.status() == PoolReply.Status.DONE) {
      received(reply, call.sentAt, now, wall);
      accept(reply, call, now);
    } else if (!call.givenUp) {
      failed++;
      poolClient.failed(PoolFailure.describe(reply, error), now);
    }
  }

  private void accept(PoolReply reply, Call call, long now) {
    poolClient.succeeded();
    if (call.givenUp || now - call.sentAt > reply.permitNanos()) {
      heldTokens.countLate(reply.granted());
    } else {
      heldTokens.add(reply, call.sentAt, now);
    }
    if (reply.granted() < call.count) {
      long next = reply.firstDelay() + reply.granted() * reply.interval() - reply.horizon();
      long chance = Math.max(1, Math.min(reply.interval(), reply.permitNanos()) / 2);
      poolClient.pauseFor(
          Math.max(1_000_000, next) + Long.remainderUnsigned(mix(now), chance), now);
    }
  }

  /** Returns a number that differs between replicas, from the time of a reply. */
  private static long mix(long nanos) {
    long mixed = nanos * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 32);
  }

  /** Stores the state of the pool from a reply, unless a later reply was received before. */
  private void received(PoolReply reply, long sentAt, long now, Instant wall) {
    updateFloor(now); // the tokens until now are added at the limits until now
    if (limit.received(reply, sentAt, now, wall)) {
      updateFloor(now);
      sample = ClockSample.better(sample, ClockSample.of(reply, sentAt, now));
      poolTokens = reply.tokens();
    }
  }

  /** Handles the reply to a change of the override that was sent at {@code sentAt}. */
  void onOverrideReply(PoolReply reply, long sentAt, long now, Instant wall) {
    received(reply, sentAt, now, wall);
    refresh(now);
  }

  /** Returns the report to log after the lock is released, or null. */
  @Nullable Report degradation(long now) {
    return degradation.now(degraded(now), now);
  }

  // ---- status ----

  private @Nullable String degraded(long now) {
    Lease lease = view.lease();
    if (lease == null) {
      return view.leaseProblem() + ": no retries start";
    }
    if (!view.mayAct()) {
      return "the Lease of this replica is not live: no retries start";
    }
    String why = view.poolAllowed() ? poolClient.failure() : view.poolProblem();
    if (why == null) {
      return null;
    }
    if (!limit.split().hasFloors()) {
      return why + ": no retries start";
    }
    return why
        + (mayUseFloor(lease, now)
            ? ": floor only"
            : ": no retries start until the pool replies, or "
                + floorWait / 1_000_000_000
                + " s after the start: "
                + (view.overrideSeen()
                    ? "another replica may have received an override"
                    : "the Leases of the other replicas have not been listed recently"));
  }

  /** Stores the combined reports of all replicas. */
  void update(ClusterReport report) {
    clusterReport = report;
  }

  /** Returns when the latest retry of this replica started; undefined before the first one. */
  long lastStart() {
    return starts.last();
  }

  /** Returns whether the last reply came from this process. */
  boolean isOwnedBy(PoolOwner process) {
    return sample != null
        && sample.ownerHigh() == process.idHigh()
        && sample.ownerLow() == process.idLow();
  }

  private long started() {
    return heldTokens.fromPool() + heldTokens.fromFloor();
  }

  ReplicaReport.OfLimiter report(long now) {
    return new ReplicaReport.OfLimiter(
        name,
        waiters.waiting(),
        started(),
        sample == null ? 0 : sample.ownerHigh(),
        sample == null ? 0 : sample.ownerLow(),
        sample == null ? 0 : sample.offset(),
        sample == null ? -1 : sample.errorAt(now),
        starts.largestRate(),
        starts.largestBurst(),
        starts.times());
  }

  private BudgetSnapshot.@Nullable Floor floor(@Nullable Lease lease, long now) {
    BudgetSplit split = limit.split();
    return lease == null || !split.hasFloors()
        ? null
        : new BudgetSnapshot.Floor(
            1e9 / split.floorInterval(),
            split.floorBurst(),
            heldTokens.floorTokens(now),
            heldTokens.fromFloor());
  }

  BudgetSnapshot snapshot(long now) {
    Lease lease = view.lease();
    refresh(lease, now);
    return new BudgetSnapshot(
        name,
        "hazelcast",
        limit.rate(),
        limit.burst(),
        (Double.isNaN(poolTokens) ? 0 : poolTokens) + heldTokens.floorTokens(now),
        clusterReport.waitingElsewhere() + waiters.waiting(),
        started(),
        denied,
        waiters.consumers(),
        degraded(now),
        clusterReport.replicas(),
        limit.overrideUntil(),
        floor(lease, now));
  }

  LimiterStatus.Limiter status(long now) {
    Lease lease = view.lease();
    refresh(lease, now);
    BudgetSplit split = limit.split();
    boolean floors = lease != null && split.hasFloors();
    return new LimiterStatus.Limiter(
        name,
        limit.rate(),
        limit.burst(),
        limit.overrideLeft(now),
        degraded(now),
        poolTokens,
        floors ? 1e9 / split.floorInterval() : 0,
        floors ? split.floorBurst() : 0,
        heldTokens.floorTokens(now),
        waiters.waiting(),
        clusterReport.replicas(),
        heldTokens.fromPool(),
        heldTokens.fromFloor(),
        denied,
        heldTokens.expired(),
        heldTokens.late(),
        failed,
        clusterReport.worst());
  }

  /** Returns the estimated wait of the retry at a position of a waiter. */
  long estimate(QueuedWaiter waiter, int position, long now) {
    refresh(now);
    long before = waiters.othersBefore(waiter, position) + position;
    int known = (int) Math.min(before, heldTokens.permits() + (long) heldTokens.floorTokens(now));
    long wait = known == 0 ? 0 : heldTokens.until(known, now);
    if (known == before) {
      return wait;
    }
    double rate = rateHere(limit.split(), now);
    Duration override = limit.overrideLeft(now);
    long left = override == null ? 0 : override.toNanos();
    double missing = before - known;
    double until = rate * left / 1e9;
    if (left > 0 && missing > until) {
      missing -= until;
      rate = rateHere(limit.splitAfterOverride(), now);
    } else {
      left = 0;
    }
    return rate == 0
        ? wait + HeldTokens.FAR
        : wait + (long) Math.min(MAX_ESTIMATE_SECONDS * 1e9, left + missing * 1e9 / rate);
  }

  /** Returns how many tokens a second this replica can expect of a split. */
  private double rateHere(BudgetSplit split, long now) {
    double rate = split.hasFloors() && view.lease() != null ? 1e9 / split.floorInterval() : 0;
    if (degraded(now) != null) {
      return rate;
    }
    int sharing = Math.max(1, clusterReport.replicasWaiting(waiters.waiting() > 0));
    return rate + 1e9 / split.poolInterval() / sharing;
  }
}
