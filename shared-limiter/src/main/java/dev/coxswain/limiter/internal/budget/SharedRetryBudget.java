// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.budget.Degradation.Report;
import dev.coxswain.limiter.internal.budget.PoolClient.Call;
import dev.coxswain.limiter.internal.budget.WaiterQueue.QueuedWaiter;
import dev.coxswain.limiter.internal.member.LimiterMember;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A retry budget that all replicas share: permits of a common pool, which expire, and the floor of
 * this replica's Lease, which works without the pool.
 *
 * <p>Thread rule: any thread. The state is guarded by a lock that is held for a few arithmetic
 * operations, because its waiters belong to different event loops. Calls to the pool run on the
 * executor, and waiters are woken outside the lock.
 */
public final class SharedRetryBudget implements RetryBudget {
  private final String name;
  private volatile LimiterSpec spec;
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
   * @param spec the configuration
   * @param shape how the budget is divided
   * @param view the state of the other replicas
   * @param clock the monotonic clock of this process
   * @param store applies requests to the pool
   * @param calls runs the calls to the store
   * @param coldNanos how long a pool without stored state grants nothing
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
    this.name = spec.name();
    this.spec = spec;
    this.shape = shape;
    this.view = view;
    this.clock = clock;
    this.store = store;
    this.calls = calls;
    this.coldNanos = coldNanos;
    this.state = new BudgetState(spec, shape, view, coldNanos);
  }

  /** Returns the configuration. */
  public LimiterSpec spec() {
    return spec;
  }

  /** Checks a change; throws as {@link #change} does. */
  public synchronized void check(LimiterSpec to) {
    if (!to.limitsAs(spec)) {
      state.limit(clock.nanos()).check(to);
    }
  }

  /**
   * Changes the configuration. Until all replicas have the new one the larger limits hold.
   *
   * @param to the new one
   * @param settlesIn the time after which all replicas have it, in nanoseconds
   * @throws IllegalArgumentException naming the key, when the burst is too small, or the override
   *     in force does not fit; nothing has changed then
   */
  public void change(LimiterSpec to, long settlesIn) {
    List<QueuedWaiter> waiters = List.of();
    synchronized (this) {
      if (!to.limitsAs(spec)) {
        waiters = state.change(to, settlesIn, clock.nanos());
      }
      spec = to;
    }
    wake(waiters);
  }

  /** Returns whether a change of the configuration is not in force on all replicas yet. */
  public synchronized boolean isSettling() {
    return state.limit(clock.nanos()).isSettling();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean reserves() {
    return false;
  }

  @Override
  public synchronized Waiter openWaiter(String consumer, Runnable wake) {
    QueuedWaiter waiter = new QueuedWaiter(consumer, wake);
    state.open(waiter);
    return new SharedWaiter(waiter);
  }

  // ---- waiters ----

  private long acquire(QueuedWaiter waiter, int waiting) {
    long answer;
    Call call;
    synchronized (this) {
      long now = clock.nanos();
      answer = state.take(waiter, waiting, now);
      call = state.nextCall(now);
      if (answer > 0) {
        answer = state.deny(waiter, answer, now);
      }
    }
    if (call != null) {
      make(call);
    }
    return answer;
  }

  // ---- the pool ----

  /** Reads the state of the pool without requesting permits, so that it is known without demand. */
  public void poll() {
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
    PoolRequest request;
    synchronized (this) {
      request = state.send(call, clock.nanos()) ? request(call.count, null) : null;
    }
    if (request == null) {
      answered(call, null, null); // its permits could not be used any more
    } else {
      store.apply(name, request.encode()).whenComplete((bytes, e) -> answered(call, bytes, e));
    }
  }

  public PoolRequest request(int count, @Nullable RateOverride set) {
    PoolRequest.Held held;
    LimiterSpec limits;
    synchronized (this) {
      long now = clock.nanos();
      limits = state.limit(now).requested();
      held = state.held(now);
    }
    return new PoolRequest(
        limits.rate(), limits.burst(), shape, count, view.liveReplicas(), coldNanos, set, held);
  }

  private void answered(Call call, byte @Nullable [] bytes, @Nullable Throwable error) {
    List<QueuedWaiter> waiters;
    Report report;
    synchronized (this) {
      long now = clock.nanos();
      PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
      state.answered(call, reply, error, now, clock.instant());
      report = state.degradation(now);
      waiters = state.toWake(now);
    }
    if (report != null) {
      report.log();
    }
    wake(waiters);
  }

  private void withdraw(QueuedWaiter waiter, boolean forGood) {
    List<QueuedWaiter> waiters;
    synchronized (this) {
      waiters = state.withdraw(waiter, forGood, clock.nanos());
    }
    wake(waiters);
  }

  private static void wake(List<QueuedWaiter> waiters) {
    for (QueuedWaiter waiter : waiters) {
      waiter.wake.run();
    }
  }

  /** Handles the reply to a change of the override that was sent at {@code sentAt}. */
  public synchronized void onOverrideReply(PoolReply reply, long sentAt) {
    state.onOverrideReply(reply, sentAt, clock.nanos(), clock.instant());
  }

  /** See {@link LimiterMember#mayBeOverridden}. */
  public synchronized boolean mayBeOverridden() {
    return state.mayBeOverridden(clock.nanos());
  }

  // ---- status ----

  /** Stores the combined reports of all replicas. */
  public synchronized void update(ClusterReport report) {
    state.update(report);
  }

  /** Returns when the latest retry of this replica started; undefined before the first one. */
  public synchronized long lastStart() {
    return state.lastStart();
  }

  /** Returns whether the last reply came from this process. */
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

  private synchronized long estimate(QueuedWaiter waiter, int position) {
    return state.estimate(waiter, position, clock.nanos());
  }

  private final class SharedWaiter implements Waiter {
    private final QueuedWaiter waiter;

    SharedWaiter(QueuedWaiter waiter) {
      this.waiter = waiter;
    }

    @Override
    public long tryAcquire(int waiting) {
      return acquire(waiter, waiting);
    }

    @Override
    public long reserve() {
      throw new UnsupportedOperationException(
          "limiter \"" + name + "\" is shared: tokens cannot be reserved");
    }

    @Override
    public void withdraw() {
      SharedRetryBudget.this.withdraw(waiter, false);
    }

    @Override
    public long estimateNanos(int position) {
      return estimate(waiter, position);
    }

    @Override
    public void close() {
      SharedRetryBudget.this.withdraw(waiter, true);
    }
  }
}
