// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.lease.LeaderElection;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Gives each of several replicas a seat of its own, by holding one of as many Leases at the API
 * server, and tells what the replica may do on it.
 *
 * <p>A replica that cannot renew stops acting by itself, in time. One whose seat was taken looks
 * for another one under a new identity; one that finds all seats taken keeps trying. Neither ends
 * the process. The Leases must not be deleted while replicas run: that takes a seat from its holder
 * without any waiting.
 *
 * <p>Thread rule: any thread; nothing blocks. Used once.
 */
public final class ReplicaLeases {

  /**
   * A seat that is held.
   *
   * <p>Thread rule: immutable.
   *
   * @param seat which, from 0
   * @param sinceNanos since when, by the monotonic clock of this process: not before its last
   *     holder had given it up or lost it
   */
  public record Held(int seat, long sinceNanos) {}

  /** How many requests that hang until their time is up fit into the renew deadline. */
  private static final int CALLS_PER_DEADLINE = 4;

  private final MembershipOptions options;
  private final ReplicaLeaseHolder keeper;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean started = new AtomicBoolean();
  private final UserCode userCode;

  /**
   * Prepares to take a seat.
   *
   * @param transport the way to the API server
   * @param options which seats
   * @param clock the time
   * @param mayBeOverridden whether an override of what the replicas share may be in force, as far
   *     as this one has received; stored with each renewal. Called on a thread of the seat, must
   *     not block. A replica that has received nothing yet returns {@link #overrideSeen}
   */
  public ReplicaLeases(
      ApiTransport transport,
      MembershipOptions options,
      Clock clock,
      BooleanSupplier mayBeOverridden) {
    this.options = options;
    this.userCode = new UserCode("replica", options.replica());
    this.keeper =
        new ReplicaLeaseHolder(
            options,
            new ApiReplicaLeaseStore(
                transport
                    .unguarded()
                    .withTimeout(options.times().renewDeadline().dividedBy(CALLS_PER_DEADLINE)),
                options.namespace(),
                ReplicaLeaseTable.LABEL,
                options.prefix()),
            clock,
            RandomGenerator.getDefault(),
            () -> options.replica() + "_" + UUID.randomUUID(),
            mayBeOverridden);
  }

  /** Takes a seat as soon as there is one, from now on. */
  public void start() {
    if (!started.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "the seat of " + options.replica() + " has been looked for before");
    }
    Thread.ofVirtual().name("coxswain-seat " + options.prefix()).start(this::run);
  }

  /** Returns whether this replica holds its seat at this moment and may act on it. */
  public boolean mayAct() {
    return keeper.mayAct();
  }

  /**
   * Returns whether this replica may, at this moment, use what the replicas of its generation
   * share. Never true in two generations at once.
   */
  public boolean poolAllowed() {
    return keeper.poolAllowed();
  }

  /** Returns the seat that this replica holds; whether it may act on it is another question. */
  public Optional<Held> held() {
    return keeper.held();
  }

  /**
   * Returns the largest number of replicas that were seen to sit during the last lease duration, at
   * least 1.
   */
  public int liveReplicas() {
    return keeper.liveReplicas();
  }

  /**
   * Returns whether the Lease of another replica has ever shown to this one that an override may be
   * in force, or does not rule it out, as those of older versions. Stays true once it is.
   */
  public boolean overrideSeen() {
    return keeper.overrideSeen();
  }

  /**
   * Returns whether all Leases have been listed since this replica took its seat, and within the
   * {@linkplain MembershipOptions#settle settling time}, so that {@link #overrideSeen} is up to
   * date.
   */
  public boolean othersListed() {
    return keeper.othersListed();
  }

  /** Returns what there is to show. */
  public ReplicaLeaseStatus status() {
    return keeper.status();
  }

  /**
   * Tells the other replicas where this one is reached, from the next renewal on.
   *
   * @param what for instance {@code admin}: letters, digits and dashes
   * @param where the address
   */
  public void announce(String what, String where) {
    keeper.announce(what, where);
  }

  /**
   * Gives the seat up. From this moment on this replica may not act.
   *
   * @return a future that completes when that is stored, or could not be; it does not fail
   */
  public Future<Void> stop() {
    Promise<Void> done = Promise.promise();
    keeper.resign();
    stop.countDown();
    Thread.ofVirtual()
        .name("coxswain-seat-stop " + options.prefix())
        .start(() -> {
          try {
            if (started.getAndSet(true)) {
              ended.await();
            }
            keeper.release();
          } catch (Throwable e) {
            userCode.failed("replica lease could not be released, it expires", null, e);
          } finally {
            done.complete();
          }
        });
    return done.future();
  }

  /** Steps until stopped; see {@link LeaderElection} for what must not end it. */
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
      return keeper.step();
    } catch (Throwable e) {
      userCode.failed("seat step failed, going on", null, e);
      return options.times().retryPeriod();
    } finally {
      userCode.clearInterrupt("request for the seat", null);
    }
  }

  private boolean awaitStop(Duration limit) {
    try {
      return stop.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return stop.getCount() == 0;
    }
  }
}
