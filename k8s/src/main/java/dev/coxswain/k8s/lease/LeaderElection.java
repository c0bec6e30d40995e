// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.lease.ApiLeaseStore;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseThreads;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An election of one leader among several processes, by a Lease at the API server.
 *
 * <p>A leader that cannot renew its Lease stops leading in time and becomes a candidate again; the
 * process does not end. {@link #isLeading} is exact at every moment; {@link LeaderListener} is
 * called shortly afterwards. A request that was sent just before the deadline may arrive after it:
 * {@link LeaseOptions#renewDeadline} leaves room for it, {@link #term} cancels requests in flight,
 * and important writes carry a resource version.
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
  private final LeaseThreads threads;
  private final LeaseOptions options;
  private final UserCode userCode;

  /**
   * Creates an election that has not started.
   *
   * @param transport the connection to the API server; without a guard that depends on this Lease
   * @param namespace the namespace of the Lease
   * @param name the name of the Lease
   * @param identity the identity of this candidate; unique for every start of every process
   * @param options the times
   * @param clock the time
   * @param listener called on changes of leadership
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
    this.threads = new LeaseThreads("the election for " + lease, userCode);
    this.notifications =
        Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("coxswain-leader-listener " + lease).factory());
    this.elector =
        new Elector(
            identity,
            options,
            new ApiLeaseStore(transport, namespace, name),
            LeaseRecord.unheld(namespace, name),
            clock,
            RandomGenerator.getDefault(),
            new Notifier(listener));
  }

  /** Becomes a candidate. */
  public void start() {
    threads.start(
        new LeaseThreads.Step(
            "coxswain-elect " + lease,
            elector::step,
            "election step failed, continuing",
            options.retryPeriod()),
        new LeaseThreads.Step(
            "coxswain-fence " + lease, // ends leadership in time even while a renewal hangs
            this::fence,
            "lease deadline check failed, continuing",
            FENCE_PERIOD));
  }

  /** Returns whether this process leads now and may act on it. */
  public boolean isLeading() {
    return elector.isLeading();
  }

  /**
   * Returns a guard that permits writes during the present leadership of this process, for {@code
   * Kubernetes.guardedBy}. It stays closed when that has ended, also when this process leads again:
   * work that was left behind then writes nothing. Closed from the start while another leads.
   */
  public WriteGuard term() {
    long term = elector.term();
    return new WriteGuard() {
      @Override
      public Duration timeLeft() {
        return elector.timeLeft(term);
      }

      @Override
      public String reason() {
        return "this replica does not hold the lease \"" + lease + "\", or not any more";
      }
    };
  }

  /**
   * A holder of the Lease, as last observed by this process.
   *
   * <p>Thread rule: immutable.
   *
   * @param holder its identity
   * @param at when this process last observed that it took or renewed the Lease, by the clock of
   *     this process
   * @param current whether the holder may still act: the Lease was not released, and was renewed
   *     within the renew deadline
   */
  public record ObservedHolder(String holder, Instant at, boolean current) {}

  /** Returns the last observed holder, however old; empty before the first. */
  public Optional<ObservedHolder> lastSeen() {
    return elector.lastSeen();
  }

  /** Returns the last observed leader; empty before the first. */
  public String leader() {
    return elector.leader();
  }

  /** Returns why the Lease cannot be used now; empty when it can, or before the first try. */
  public String problem() {
    return elector.problem();
  }

  /**
   * Stops leading, waits for the listener and releases the Lease.
   *
   * @return a future that completes when that is done; it does not fail
   */
  public Future<Void> stop() {
    return threads.stop("coxswain-resign " + lease, this::resign);
  }

  private void resign() throws InterruptedException {
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

  private Duration fence() {
    Duration left = elector.fence();
    return left.isZero() || left.compareTo(FENCE_PERIOD) > 0 ? FENCE_PERIOD : left;
  }

  /** Calls the listener outside of the elector's lock, in order. */
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
