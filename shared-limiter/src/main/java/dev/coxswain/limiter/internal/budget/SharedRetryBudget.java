// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.LimiterStatus;
import dev.coxswain.limiter.RateOverride;
import dev.coxswain.limiter.ReplicaView;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.budget.Degradation.Report;
import dev.coxswain.limiter.internal.budget.PoolClient.Call;
import dev.coxswain.limiter.internal.budget.WaiterQueue.Place;
import dev.coxswain.limiter.member.LimiterMember;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A retry budget that all replicas share: permits of a common pool, which expire, and the floor of
 * this replica's Lease, which needs nobody.
 *
 * <p>Thread rule: any thread. A short critical section guards the state, because its lanes belong
 * to different event loops; it does a handful of arithmetic. Calls to the pool are handed to the
 * executor, and lanes are called outside of it.
 */
public final class SharedRetryBudget implements RetryBudget {
  private final LimiterSpec spec;
  private final ClusterShape shape;
  private final ReplicaView view;
  private final Clock clock;
  private final PoolStore store;
  private final Executor calls;
  private final long coldNanos;
  private final BudgetState state;

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
  public SharedRetryBudget(
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
    this.state = new BudgetState(spec, shape, view, coldNanos);
  }

  public LimiterSpec spec() {
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
  public synchronized Waiter openWaiter(String consumer, Runnable wake) {
    Place place = new Place(consumer, wake);
    state.open(place);
    return new SharedWaiter(place);
  }

  // ---- taking ----

  private long acquire(Place place, int waiting) {
    long answer;
    Call call;
    synchronized (this) {
      long now = clock.nanos();
      answer = state.take(place, waiting, now);
      call = state.nextCall(now);
      if (answer > 0) {
        answer = state.deny(place, answer, now);
      }
    }
    if (call != null) {
      make(call);
    }
    return answer;
  }

  // ---- the pool ----

  /** Looks at the pool without taking anything, so that its state is known without demand too. */
  public void look() {
    Call call;
    Report report;
    synchronized (this) {
      long now = clock.nanos();
      state.refresh(now);
      report = state.degradation(now);
      call = state.idleCall(now);
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
      answered(call, null, new PoolFailure.NotRunning("the Hazelcast member is stopped"));
    }
  }

  private void send(Call call) {
    byte[] request = request(call.count, null).encode();
    call.sentAt = clock.nanos();
    store.apply(spec.name(), request).whenComplete((bytes, e) -> answered(call, bytes, e));
  }

  public PoolRequest request(int count, @Nullable RateOverride set) {
    PoolRequest.Held held;
    synchronized (this) {
      held = state.held(clock.nanos());
    }
    return new PoolRequest(
        spec.rate(), spec.burst(), shape, count, view.liveReplicas(), coldNanos, set, held);
  }

  private void answered(Call call, byte @Nullable [] bytes, @Nullable Throwable error) {
    List<Place> called;
    Report report;
    synchronized (this) {
      long now = clock.nanos();
      PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
      state.answered(call, reply, error, now, clock.instant());
      report = state.degradation(now);
      called = state.toCall(now);
    }
    if (report != null) {
      report.log();
    }
    wake(called);
  }

  private void withdraw(Place place, boolean forGood) {
    List<Place> called;
    synchronized (this) {
      called = state.withdraw(place, forGood, clock.nanos());
    }
    wake(called);
  }

  private static void wake(List<Place> called) {
    for (Place place : called) {
      place.wake.run();
    }
  }

  /** Learns from the answer to a change that was sent at {@code sentAt}. */
  public synchronized void told(PoolReply reply, long sentAt) {
    state.told(reply, sentAt, clock.nanos(), clock.instant());
  }

  /** See {@link LimiterMember#mayBeOverridden}. */
  public synchronized boolean mayBeOverridden() {
    return state.mayBeOverridden(clock.nanos());
  }

  // ---- what is shown ----

  /** Learns what the replicas have told each other. */
  public synchronized void news(ClusterReport heard) {
    state.news(heard);
  }

  /** Returns when the latest retry of this replica started; only when there was one. */
  public synchronized long lastStart() {
    return state.lastStart();
  }

  /** Returns whether the process of this id answered last. */
  public synchronized boolean isOwnedBy(PoolOwner process) {
    return state.isOwnedBy(process);
  }

  public synchronized ReplicaReport.OfLimiter report(long now) {
    return state.report(now);
  }

  @Override
  public synchronized BudgetSnapshot snapshot() {
    return state.snapshot(clock.nanos());
  }

  public synchronized LimiterStatus.Limiter status() {
    return state.status(clock.nanos());
  }

  private synchronized long estimate(Place place, int position) {
    return state.estimate(place, position, clock.nanos());
  }

  private final class SharedWaiter implements Waiter {
    private final Place place;

    SharedWaiter(Place place) {
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
