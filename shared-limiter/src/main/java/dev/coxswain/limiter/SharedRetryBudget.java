// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.limiter.Degradation.Report;
import dev.coxswain.limiter.LaneLine.Place;
import dev.coxswain.limiter.PoolLink.Call;
import dev.coxswain.limiter.ReplicaView.Seat;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.time.Clock;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A retry budget that all replicas share: permits of a common pool, which expire, and the floor of
 * this replica's seat, which needs nobody.
 *
 * <p>Thread rule: any thread. A short critical section guards the state, because its lanes belong
 * to different event loops; it does a handful of arithmetic. Calls to the pool are handed to the
 * executor.
 */
final class SharedRetryBudget implements RetryBudget {
  // How a retry gets its permit
  //
  // A lane that asks stands in line. It may take one when there are more permits and floor tokens
  // good now than lanes before it. If not, it is told when the one for it will be good, as far as
  // known, and the budget asks the pool for as many permits as retries wait, up to a few. When they
  // arrive the first lanes in the line are called. A permit is bound to nothing until a lane takes
  // it, which is when the retry starts; one that nobody takes in time is forfeited.
  //
  // Times
  //
  // The pool answers in delays from the moment at which it was asked, which was after the call was
  // sent and before the answer came. So a permit is good from "received + delay" and until "sent +
  // delay + its lifetime", by the clock here: late by both counts. Two clocks drift apart by one
  // part in 2048 at most, which shortens it by that much of the delay on either side, and the slack
  // is kept for the way from here to the start of the reconciler.

  private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
  private static final long STOPPED_NANOS = 250_000_000;
  private static final int MANY = 1_000_000;

  private final LimiterSpec spec;
  private final ClusterShape shape;
  private final ReplicaView view;
  private final Clock clock;
  private final PoolStore store;
  private final Executor calls;
  private final long coldNanos;

  private final LaneLine line = new LaneLine();
  private final Holdings holdings = new Holdings();
  private final PoolLink link = new PoolLink();
  private final StartLog starts = new StartLog();
  private final InForce force;
  private final Degradation degradation;

  private @Nullable ClockSample sample;
  private double poolTokens = Double.NaN;
  private ClusterNews news = ClusterNews.NONE;
  private long denied;
  private long failed;

  /**
   * Creates a budget.
   *
   * @param spec what is configured
   * @param shape how the budget is divided
   * @param view what is known of the other replicas
   * @param clock the monotonic clock of this process
   * @param store where the pool is
   * @param calls runs what calls the store
   * @param coldNanos how long a pool of which nothing is known stays shut
   * @throws IllegalArgumentException naming the key when the burst is too small
   */
  SharedRetryBudget(
      LimiterSpec spec,
      ClusterShape shape,
      ReplicaView view,
      Clock clock,
      PoolStore store,
      Executor calls,
      long coldNanos) {
    this.spec = spec;
    this.shape = shape;
    this.view = view;
    this.clock = clock;
    this.store = store;
    this.calls = calls;
    this.coldNanos = coldNanos;
    this.force = new InForce(spec, shape);
    this.degradation = new Degradation(spec.name());
  }

  LimiterSpec spec() {
    return spec;
  }

  @Override
  public String name() {
    return spec.name();
  }

  @Override
  public boolean reserves() {
    return false;
  }

  @Override
  public synchronized Lane openLane(String consumer, Runnable wake) {
    Place place = new Place(consumer, wake);
    line.open(place);
    return new SharedLane(place);
  }

  // ---- taking ----

  private long acquire(Place place, int waiting) {
    long answer;
    Call call;
    synchronized (this) {
      long now = clock.nanos();
      line.enter(place, waiting, now);
      answer = take(place, now);
      call = nextCall(now);
      if (answer > 0) {
        denied++;
        answer = Math.max(1, Math.min(answer, whenToLook(now)));
        place.expectedAt = now + answer;
      }
    }
    if (call != null) {
      make(call);
    }
    return answer;
  }

  /** Takes what there is, or returns how long to wait for what is known to come. */
  private long take(Place place, long now) {
    Seat seat = view.seat();
    refresh(seat, now); // gives up late calls too, or they would be looked at without end
    if (seat == null || !view.mayAct()) {
      return STOPPED_NANOS;
    }
    int before = line.before(place, now);
    if (holdings.good(now) <= before) {
      return holdings.until(before + 1, now);
    }
    if (holdings.take(now)) {
      link.used(outstanding());
    }
    starts.started(now);
    line.served(place);
    if (place.inLine) {
      place.expectedAt = now + Math.min(LOOK_AGAIN_NANOS, holdings.until(1, now));
    }
    return 0;
  }

  private void refresh(@Nullable Seat seat, long now) {
    force.update(now);
    int expired = holdings.update(seat, force.shares(), view.poolAllowed(), now);
    if (expired > 0) {
      link.expired(outstanding());
    }
    int late = link.giveUp(force.shares().permitNanos(), now);
    failed += late;
  }

  private int outstanding() {
    return force.shares().outstanding();
  }

  private long whenToLook(long now) {
    long look = link.pauseLeft(now, LOOK_AGAIN_NANOS);
    return link.untilGivenUp(force.shares().permitNanos(), now, look);
  }

  // ---- the pool ----

  private @Nullable Call nextCall(long now) {
    if (view.seat() == null || !view.mayAct() || !view.poolAllowed() || !link.mayCall(now)) {
      return null;
    }
    int most = link.window(outstanding());
    int lacking = line.demand(most, now) - holdings.permits() - link.asked();
    return lacking <= 0 ? null : link.begin(lacking, now);
  }

  /** Looks at the pool without taking anything, so that its state is known without demand too. */
  void look() {
    Call call;
    Report report;
    synchronized (this) {
      long now = clock.nanos();
      refresh(view.seat(), now);
      report = degradation.now(degraded(), now);
      call = view.poolAllowed() && link.mayCall(now) ? link.begin(0, now) : null;
    }
    if (report != null) {
      report.log();
    }
    if (call != null) {
      make(call);
    }
  }

  private void make(Call call) {
    try {
      calls.execute(() -> send(call));
    } catch (RejectedExecutionException e) {
      answered(call, null, new PoolTrouble.NotRunning("the Hazelcast member is stopped"));
    }
  }

  private void send(Call call) {
    byte[] request = request(call.count, null).encode();
    call.sentAt = clock.nanos();
    store.apply(spec.name(), request).whenComplete((bytes, e) -> answered(call, bytes, e));
  }

  PoolRequest request(int count, @Nullable RateOverride set) {
    return new PoolRequest(
        spec.rate(), spec.burst(), shape, count, view.liveReplicas(), coldNanos, set);
  }

  private void answered(Call call, byte @Nullable [] bytes, @Nullable Throwable error) {
    List<Place> called;
    Report report;
    synchronized (this) {
      long now = clock.nanos();
      link.answered(call);
      PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
      if (reply == null || reply.status() != PoolReply.Status.DONE) {
        if (!call.givenUp) {
          failed++;
          link.failed(PoolTrouble.describe(reply, error), now);
        }
      } else {
        heard(reply, call.sentAt, now);
        accept(reply, call, now);
      }
      report = degradation.now(degraded(), now);
      called = line.call(holdings.permits(), now);
    }
    if (report != null) {
      report.log();
    }
    for (Place place : called) {
      place.wake.run();
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

  /** Learns from any answer what is in force now. */
  private void heard(PoolReply reply, long sentAt, long now) {
    sample = ClockSample.better(sample, ClockSample.of(reply, sentAt, now));
    poolTokens = reply.tokens();
    force.heard(reply, now, clock.instant());
  }

  /** Learns from the answer to a change. */
  void told(PoolReply reply) {
    synchronized (this) {
      long now = clock.nanos();
      heard(reply, now, now);
      refresh(view.seat(), now);
    }
  }

  // ---- what is shown ----

  private @Nullable String degraded() {
    if (view.seat() == null) {
      return "this replica has no seat: it starts no retries";
    }
    if (!view.mayAct()) {
      return "this replica's lease is not live: it starts no retries";
    }
    String why = view.poolAllowed() ? link.trouble() : view.poolProblem();
    return why == null
        ? null
        : why + (force.shares().hasFloors() ? ": floor only" : ": no retries start");
  }

  void news(ClusterNews heard) {
    synchronized (this) {
      news = heard;
    }
  }

  /** Returns when the latest retry of this replica started; only when there was one. */
  synchronized long lastStart() {
    return starts.last();
  }

  /** Returns whether the process of this id answered last. */
  synchronized boolean isOwnedBy(PoolOwner process) {
    return sample != null
        && sample.ownerHigh() == process.idHigh()
        && sample.ownerLow() == process.idLow();
  }

  /** Returns the largest rate of what was in force while the starts were remembered. */
  synchronized double largestRate() {
    return Math.max(spec.rate(), force.rate());
  }

  /** Returns the largest burst of what was in force while the starts were remembered. */
  synchronized int largestBurst() {
    return Math.max(spec.burst(), force.burst());
  }

  private long started() {
    return holdings.fromPool() + holdings.fromFloor();
  }

  synchronized ReplicaReport.OfLimiter report(long now) {
    return new ReplicaReport.OfLimiter(
        spec.name(),
        line.waiting(),
        started(),
        sample == null ? 0 : sample.ownerHigh(),
        sample == null ? 0 : sample.ownerLow(),
        sample == null ? 0 : sample.offset(),
        sample == null ? -1 : sample.errorAt(now),
        starts.times());
  }

  private BudgetSnapshot.@Nullable Floor floor(@Nullable Seat seat, long now) {
    Shares shares = force.shares();
    return seat == null || !shares.hasFloors()
        ? null
        : new BudgetSnapshot.Floor(
            1e9 / shares.floorInterval(),
            shares.floorBurst(),
            holdings.floorTokens(now),
            holdings.fromFloor());
  }

  @Override
  public synchronized BudgetSnapshot snapshot() {
    long now = clock.nanos();
    Seat seat = view.seat();
    refresh(seat, now);
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
        degraded(),
        news.replicas(),
        force.overrideUntil(),
        floor(seat, now));
  }

  synchronized LimiterStatus.Limiter status() {
    long now = clock.nanos();
    Seat seat = view.seat();
    refresh(seat, now);
    Shares shares = force.shares();
    boolean floors = seat != null && shares.hasFloors();
    return new LimiterStatus.Limiter(
        spec.name(),
        force.rate(),
        force.burst(),
        force.overrideLeft(now),
        degraded(),
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

  private synchronized long estimate(Place place, int position) {
    long now = clock.nanos();
    refresh(view.seat(), now);
    long before = line.othersBefore(place, position) + position;
    int known = (int) Math.min(before, holdings.permits() + (long) holdings.floorTokens(now));
    long wait = known == 0 ? 0 : holdings.until(known, now);
    if (known == before) {
      return wait;
    }
    Shares shares = force.shares();
    double rate = shares.hasFloors() && view.seat() != null ? 1e9 / shares.floorInterval() : 0;
    if (degraded() == null) {
      rate += 1e9 / shares.poolInterval() / Math.max(1, news.replicasWaiting(line.waiting() > 0));
    }
    double more = rate == 0 ? Holdings.FAR : Math.min(MANY * 1e9, (before - known) * 1e9 / rate);
    return wait + (long) more;
  }

  private void withdraw(Place place, boolean forGood) {
    List<Place> called;
    synchronized (this) {
      if (forGood) {
        line.close(place);
      } else {
        line.leave(place);
      }
      // What was to come for this one comes for those behind it now.
      called = line.call(holdings.permits(), clock.nanos());
    }
    for (Place next : called) {
      next.wake.run();
    }
  }

  private final class SharedLane implements Lane {
    private final Place place;

    SharedLane(Place place) {
      this.place = place;
    }

    @Override
    public long tryAcquire(int waiting) {
      return acquire(place, waiting);
    }

    @Override
    public long reserve() {
      throw new UnsupportedOperationException(
          "limiter \"" + spec.name() + "\" is shared and has no tokens to reserve ahead");
    }

    @Override
    public void withdraw() {
      SharedRetryBudget.this.withdraw(place, false);
    }

    @Override
    public long estimateNanos(int position) {
      return estimate(place, position);
    }

    @Override
    public void close() {
      SharedRetryBudget.this.withdraw(place, true);
    }
  }
}
