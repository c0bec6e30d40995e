// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.lease.ApiLeaseStore;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets one of several processes lead, by holding a Lease at the API server.
 *
 * <p>A leader gives up by itself, in time, when it cannot renew; it never ends the process, and it
 * stands for election again at once. {@link #isLeading} is exact at every moment; {@link
 * LeaderListener} is told shortly afterwards. What cannot be ruled out is a request that was sent
 * just before the deadline and arrives after it: {@link LeaseOptions#renewDeadline} leaves room for
 * it, {@link #guard} ends requests that are under way, and important writes carry a resource
 * version.
 *
 * <p>Thread rule: any thread; nothing blocks. Used once.
 */
public final class LeaderElection {

  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
  private static final Duration LISTENER_LIMIT = Duration.ofSeconds(10);
  private static final Duration FENCE_PERIOD = Duration.ofMillis(100);

  private final String lease;
  private final Elector elector;
  private final ExecutorService notifications;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean started = new AtomicBoolean();
  private final LeaseOptions options;
  private final UserCode userCode;

  /**
   * Creates an election that has not begun.
   *
   * @param transport the way to the API server
   * @param namespace where the Lease is
   * @param name the name of the Lease
   * @param identity who stands for election; unique for every start of every process
   * @param options the times
   * @param clock the time
   * @param listener hears of leadership
   */
  public LeaderElection(
      ApiTransport transport,
      String namespace,
      String name,
      String identity,
      LeaseOptions options,
      Clock clock,
      LeaderListener listener) {
    if (identity.isEmpty()) {
      throw new IllegalArgumentException("the identity must not be empty");
    }
    Objects.requireNonNull(listener, "listener");
    this.lease = namespace + "/" + name;
    this.options = options;
    this.userCode = new UserCode("lease", lease);
    this.notifications =
        Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("coxswain-leader-listener " + lease).factory());
    this.elector =
        new Elector(
            identity,
            options,
            new ApiLeaseStore(transport, namespace, name),
            () -> LeaseRecord.unheld(namespace, name),
            clock,
            RandomGenerator.getDefault(),
            new Notifier(listener));
  }

  /** Stands for election from now on. */
  public void start() {
    if (!started.compareAndSet(false, true)) {
      throw new IllegalStateException("the election for " + lease + " has been started before");
    }
    Thread.ofVirtual().name("coxswain-elect " + lease).start(this::run);
    Thread.ofVirtual().name("coxswain-fence " + lease).start(this::keepFence);
  }

  /** Returns whether this process leads now and may act on it. */
  public boolean isLeading() {
    return elector.isLeading();
  }

  /**
   * Returns a guard that lets requests pass while this process leads, and none any more from when
   * it gives up by itself; give it to {@code Kubernetes.guardedBy}.
   */
  public WriteGuard guard() {
    return new WriteGuard() {
      @Override
      public Duration timeLeft() {
        return elector.timeLeft();
      }

      @Override
      public String reason() {
        return "this replica does not hold the lease \"" + lease + "\"";
      }
    };
  }

  /**
   * A holder of the Lease as this process last saw it.
   *
   * <p>Thread rule: immutable.
   *
   * @param holder its identity
   * @param at when this process last saw the Lease taken or renewed by it, by its own clock
   * @param current whether the holder may still act: the Lease was not released, and was renewed
   *     within the renew deadline
   */
  public record HolderSeen(String holder, Instant at, boolean current) {}

  /** Returns the last holder that was seen, however long ago; empty when none was. */
  public Optional<HolderSeen> lastSeen() {
    return elector.lastSeen();
  }

  /** Returns who was last seen to lead; empty when nobody was. */
  public String leader() {
    return elector.leader();
  }

  /** Returns why the Lease cannot be used now; empty when it can, or has not been tried yet. */
  public String problem() {
    return elector.problem();
  }

  /**
   * Stops leading, lets the listener finish and gives the Lease back.
   *
   * @return a future that completes when that is done; it does not fail
   */
  public Future<Void> stop() {
    Promise<Void> done = Promise.promise();
    Thread.ofVirtual()
        .name("coxswain-resign " + lease)
        .start(() -> {
          try {
            resign();
          } catch (Throwable e) {
            userCode.failed("lease could not be released, it expires", null, e);
          } finally {
            done.complete();
          }
        });
    return done.future();
  }

  private void resign() throws InterruptedException {
    stop.countDown();
    if (started.getAndSet(true)) {
      ended.await();
    }
    elector.resign();
    notifications.shutdown();
    if (!notifications.awaitTermination(LISTENER_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      log.atWarn()
          .addKeyValue("lease", lease)
          .log("leader listener did not return, the lease is left to expire");
      notifications.shutdownNow();
      return;
    }
    elector.release();
  }

  /**
   * Steps until stopped. Requests run code of users (credential plug-ins, interceptors) on this
   * thread: neither what it throws nor an interrupt that it leaves behind ends the election.
   */
  private void run() {
    try {
      Duration wait;
      do {
        wait = safeStep();
      } while (!awaitStop(wait));
    } finally {
      ended.countDown();
    }
  }

  private Duration safeStep() {
    try {
      return elector.step();
    } catch (Throwable e) {
      userCode.failed("election step failed, going on", null, e);
      return options.retryPeriod();
    } finally {
      userCode.clearInterrupt("request for the lease", null);
    }
  }

  /** Ends leadership in time even while a renewal hangs. */
  private void keepFence() {
    Duration wait;
    do {
      wait = safeFence();
    } while (!awaitStop(wait));
  }

  private Duration safeFence() {
    try {
      Duration left = elector.fence();
      return left.isZero() || left.compareTo(FENCE_PERIOD) > 0 ? FENCE_PERIOD : left;
    } catch (Throwable e) {
      userCode.failed("lease could not be looked after, going on", null, e);
      return FENCE_PERIOD;
    }
  }

  /** Waits; true when this was stopped, which is told by the latch and never by an interrupt. */
  private boolean awaitStop(Duration limit) {
    try {
      return stop.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return stop.getCount() == 0;
    }
  }

  /** Takes calls off the elector's lock and keeps their order. */
  private final class Notifier implements LeaderListener {
    private final LeaderListener listener;

    Notifier(LeaderListener listener) {
      this.listener = listener;
    }

    @Override
    public void onStartedLeading() {
      call("onStartedLeading", listener::onStartedLeading);
    }

    @Override
    public void onStoppedLeading() {
      call("onStoppedLeading", listener::onStoppedLeading);
    }

    @Override
    public void onProblem(String problem) {
      call("onProblem", () -> listener.onProblem(problem));
    }

    @Override
    public void onNewLeader(String identity) {
      call("onNewLeader", () -> listener.onNewLeader(identity));
    }

    private void call(String what, Runnable action) {
      notifications.execute(() -> {
        try {
          action.run();
        } catch (Throwable e) {
          userCode.failed("leader listener failed: " + what, null, e);
        } finally {
          userCode.clearInterrupt(what, null);
        }
      });
    }
  }
}
