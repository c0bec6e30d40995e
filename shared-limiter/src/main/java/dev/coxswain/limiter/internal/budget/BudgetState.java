// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.LimiterStatus;
import dev.coxswain.limiter.ReplicaView;
import dev.coxswain.limiter.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.budget.Degradation.Report;
import dev.coxswain.limiter.internal.budget.PoolClient.Call;
import dev.coxswain.limiter.internal.budget.WaiterQueue.Place;
import dev.coxswain.limiter.member.LimiterMember;
import dev.coxswain.retry.BudgetSnapshot;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one limiter on this replica and its decisions: which retry may start, what to request
 * from the pool, which lanes to wake. {@link SharedRetryBudget} sends and wakes.
 *
 * <p>Thread rule: guarded by the budget. {@code now} is always the time of the budget's clock.
 */
final class BudgetState {
  // How a retry gets its permit
  //
  // A lane that requests a permit is queued. It gets one when more permits and floor tokens are
  // good
  // now than lanes are before it. If not, it receives the time at which one will be good, and the
  // budget requests as many permits from the pool as retries wait, up to a few. When they arrive
  // the first lanes are woken. A permit is bound to no retry until one starts, and expires unused.
  //
  // Times
  //
  // The pool replies with delays from the moment of the request there, which is after the call was
  // sent and before the reply arrived. So a permit is good from "received + delay" and until "sent
  // +
  // delay + its lifetime", by the clock here: late by both counts. Two clocks drift apart by one
  // part in 2048 at most, which shortens it by that much of the delay on either side, and the slack
  // is kept for the way from here to the start of the reconciler.
  //
  // A new replica
  //
  // Until the pool has replied, it may lack an override that slows down, and its configured floor
  // may be more than all of that. So until then it uses its floor only while the Leases, listed
  // recently, show no override; but it leaves it unused no longer than a member takes to join,
  // since
  // the pool may be out of reach for long. An override that the Leases have shown is shown in its
  // own Lease until the pool has replied: the replica that received it may be gone by then.

  private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
  private static final long STOPPED_NANOS = 250_000_000;
  private static final int MANY = 1_000_000;

  /** For how many times the age of the view a new replica leaves its floor unused, see above. */
  private static final int FLOOR_WAIT_FACTOR = 2;

  private final LimiterSpec spec;
  private final ReplicaView view;
  private final long floorWait;

  private final WaiterQueue line = new WaiterQueue();
  private final HeldTokens holdings = new HeldTokens();
  private final PoolClient link = new PoolClient();
  private final StartLog starts = new StartLog();
  private final EffectiveLimit force;
  private final Degradation degradation;

  private @Nullable ClockSample sample;
  private double poolTokens = Double.NaN;
  private ClusterReport news = ClusterReport.NONE;
  private long denied;
  private long failed;

  /** Throws an {@link IllegalArgumentException} naming the key when the burst is too small. */
  BudgetState(LimiterSpec spec, ClusterShape shape, ReplicaView view, long coldNanos) {
    this.floorWait = FLOOR_WAIT_FACTOR * Math.min(coldNanos, Long.MAX_VALUE / 8);
    this.spec = spec;
    this.view = view;
    this.force = new EffectiveLimit(spec, shape);
    this.degradation = new Degradation(spec.name());
  }

  // ---- taking ----

  void open(Place place) {
    line.open(place);
  }

  /** Ends the waiting of a place, for good or until it asks again, and returns whom to call. */
  List<Place> withdraw(Place place, boolean forGood, long now) {
    if (forGood) {
      line.close(place);
    } else {
      line.leave(place);
    }
    return toCall(now); // what was to come for this one comes for those behind it now
  }

  /** Returns whose permits are here, to be called once the budget's lock is free again. */
  List<Place> toCall(long now) {
    return line.call(holdings.permits(), now);
  }

  /**
   * Takes what there is and returns 0, or returns how long to wait for what is known to come.
   *
   * @param waiting how many retries wait at this place
   */
  long take(Place place, int waiting, long now) {
    line.enter(place, waiting, now);
    Lease lease = view.lease();
    refresh(lease, now); // gives up late calls too, or they would be looked at without end
    if (lease == null || !view.mayAct()) {
      return STOPPED_NANOS;
    }
    int before = line.before(place, now);
    if (holdings.good(now) <= before) {
      return holdings.until(before + 1, now);
    }
    if (holdings.take(now)) {
      link.used(outstanding());
    }
    starts.started(now, force.rate(), force.burst());
    line.served(place);
    if (place.queued) {
      place.expectedAt = now + Math.min(LOOK_AGAIN_NANOS, holdings.until(1, now));
    }
    return 0;
  }

  /**
   * Counts that nothing could be taken, and returns how long the place is to wait until it asks
   * again; after {@link #nextCall}, whose answer may come sooner than what is known.
   *
   * @param wait what {@link #take} has returned
   */
  long deny(Place place, long wait, long now) {
    denied++;
    long pause = Math.max(1, Math.min(wait, whenToLook(now)));
    place.expectedAt = now + pause;
    return pause;
  }

  /** Drops what has expired; must come before reads that do not do so themselves. */
  void refresh(long now) {
    refresh(view.lease(), now);
  }

  private void refresh(@Nullable Lease lease, long now) {
    force.update(now);
    int expired =
        holdings.update(lease, force.shares(), mayUseFloor(lease, now), view.poolAllowed(), now);
    if (expired > 0) {
      link.expired(outstanding());
    }
    failed += link.giveUp(force.shares().permitNanos(), now);
  }

  private void updateFloor(long now) {
    Lease lease = view.lease();
    holdings.updateFloor(lease, force.shares(), mayUseFloor(lease, now), now);
  }

  private boolean mayUseFloor(@Nullable Lease lease, long now) {
    return force.isKnown()
        || (view.othersListed() && !view.overrideSeen())
        || (lease != null && now - lease.heldSinceNanos() >= floorWait);
  }

  /** See {@link LimiterMember#mayBeOverridden}. */
  boolean mayBeOverridden(long now) {
    return force.isKnown() ? force.held(now) != null : view.overrideSeen();
  }

  /** Returns the override that this replica goes by, or null. */
  PoolRequest.@Nullable Held held(long now) {
    return force.held(now);
  }

  private int outstanding() {
    return force.shares().outstanding();
  }

  private long whenToLook(long now) {
    long look = link.pauseLeft(now, LOOK_AGAIN_NANOS);
    return link.untilGivenUp(force.shares().permitNanos(), now, look);
  }

  // ---- the pool ----

  /** Returns the call to make when retries wait for more than is held and asked for, or null. */
  @Nullable Call nextCall(long now) {
    if (view.lease() == null || !view.mayAct() || !view.poolAllowed() || !link.mayCall(now)) {
      return null;
    }
    int most = link.window(outstanding());
    int lacking = line.demand(most, now) - holdings.permits() - link.asked();
    return lacking <= 0 ? null : link.begin(lacking, now);
  }

  /** Returns a call that asks for nothing, so that the pool is looked at without demand too. */
  @Nullable Call idleCall(long now) {
    return view.poolAllowed() && link.mayCall(now) ? link.begin(0, now) : null;
  }

  /**
   * Takes what came of a call.
   *
   * @param reply the answer, or null when there is none that can be read
   * @param error why there is none, or null
   * @param wall the time of day, for people
   */
  void answered(
      Call call, @Nullable PoolReply reply, @Nullable Throwable error, long now, Instant wall) {
    link.answered(call);
    if (reply != null && reply.status() == PoolReply.Status.DONE) {
      received(reply, call.sentAt, now, wall);
      accept(reply, call, now);
    } else if (!call.givenUp) {
      failed++;
      link.failed(PoolFailure.describe(reply, error), now);
    }
  }

  private void accept(PoolReply reply, Call call, long now) {
    link.succeeded();
    if (call.givenUp || now - call.sentAt > reply.permitNanos()) {
      holdings.tooLate(reply.granted());
    } else {
      holdings.add(reply, call.sentAt, now);
    }
    if (reply.granted() < call.count) {
      long next = reply.firstDelay() + reply.granted() * reply.interval() - reply.horizon();
      link.pauseFor(Math.max(1_000_000, next), now);
    }
  }

  /** Takes the state of the pool from a reply, unless a later reply came before it. */
  private void received(PoolReply reply, long sentAt, long now, Instant wall) {
    updateFloor(now); // what comes in until now comes in at the limits until now
    if (force.received(reply, sentAt, now, wall)) {
      updateFloor(now);
      sample = ClockSample.better(sample, ClockSample.of(reply, sentAt, now));
      poolTokens = reply.tokens();
    }
  }

  /** Takes the reply to a change that was sent at {@code sentAt}. */
  void told(PoolReply reply, long sentAt, long now, Instant wall) {
    received(reply, sentAt, now, wall);
    refresh(now);
  }

  /** Returns what to report once the budget's lock is free again, or null. */
  @Nullable Report degradation(long now) {
    return degradation.now(degraded(now), now);
  }

  // ---- what is shown ----

  private @Nullable String degraded(long now) {
    Lease lease = view.lease();
    if (lease == null) {
      return "this replica holds no Lease and starts no retries";
    }
    if (!view.mayAct()) {
      return "this replica's lease is not live: it starts no retries";
    }
    String why = view.poolAllowed() ? link.trouble() : view.poolProblem();
    if (why == null) {
      return null;
    }
    if (!force.shares().hasFloors()) {
      return why + ": no retries start";
    }
    return why
        + (mayUseFloor(lease, now)
            ? ": floor only"
            : ": no retries start until the pool answers, or "
                + floorWait / 1_000_000_000
                + " s after the start: "
                + (view.overrideSeen()
                    ? "another replica may have received an override"
                    : "the Leases of the other replicas have not been listed recently"));
  }

  /** Stores the summary of the reports of all replicas. */
  void news(ClusterReport heard) {
    news = heard;
  }

  /** Returns when the latest retry of this replica started; only when there was one. */
  long lastStart() {
    return starts.last();
  }

  /** Returns whether the process of this id answered last. */
  boolean isOwnedBy(PoolOwner process) {
    return sample != null
        && sample.ownerHigh() == process.idHigh()
        && sample.ownerLow() == process.idLow();
  }

  private long started() {
    return holdings.fromPool() + holdings.fromFloor();
  }

  ReplicaReport.OfLimiter report(long now) {
    return new ReplicaReport.OfLimiter(
        spec.name(),
        line.waiting(),
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
    BudgetSplit shares = force.shares();
    return lease == null || !shares.hasFloors()
        ? null
        : new BudgetSnapshot.Floor(
            1e9 / shares.floorInterval(),
            shares.floorBurst(),
            holdings.floorTokens(now),
            holdings.fromFloor());
  }

  BudgetSnapshot snapshot(long now) {
    Lease lease = view.lease();
    refresh(lease, now);
    return new BudgetSnapshot(
        spec.name(),
        "hazelcast",
        force.rate(),
        force.burst(),
        (Double.isNaN(poolTokens) ? 0 : poolTokens) + holdings.floorTokens(now),
        news.waitingElsewhere() + line.waiting(),
        started(),
        denied,
        line.consumers(),
        degraded(now),
        news.replicas(),
        force.overrideUntil(),
        floor(lease, now));
  }

  LimiterStatus.Limiter status(long now) {
    Lease lease = view.lease();
    refresh(lease, now);
    BudgetSplit shares = force.shares();
    boolean floors = lease != null && shares.hasFloors();
    return new LimiterStatus.Limiter(
        spec.name(),
        force.rate(),
        force.burst(),
        force.overrideLeft(now),
        degraded(now),
        poolTokens,
        floors ? 1e9 / shares.floorInterval() : 0,
        floors ? shares.floorBurst() : 0,
        holdings.floorTokens(now),
        line.waiting(),
        news.replicas(),
        holdings.fromPool(),
        holdings.fromFloor(),
        denied,
        holdings.expired(),
        holdings.late(),
        failed,
        news.worst());
  }

  /** Returns how long the retry at a position of a place is likely to wait. */
  long estimate(Place place, int position, long now) {
    refresh(now);
    long before = line.othersBefore(place, position) + position;
    int known = (int) Math.min(before, holdings.permits() + (long) holdings.floorTokens(now));
    long wait = known == 0 ? 0 : holdings.until(known, now);
    if (known == before) {
      return wait;
    }
    BudgetSplit shares = force.shares();
    double rate = shares.hasFloors() && view.lease() != null ? 1e9 / shares.floorInterval() : 0;
    if (degraded(now) == null) {
      rate += 1e9 / shares.poolInterval() / Math.max(1, news.replicasWaiting(line.waiting() > 0));
    }
    double more = rate == 0 ? HeldTokens.FAR : Math.min(MANY * 1e9, (before - known) * 1e9 / rate);
    return wait + (long) more;
  }
}
