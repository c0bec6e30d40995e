// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.lease.LeaseObservation;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseStore;
import dev.coxswain.k8s.internal.lease.Releases;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of the election, one step at a time and without a thread of its own.
 *
 * <p>Thread rule: {@link #step} and {@link #release} on one thread; the rest on any.
 *
 * <h2>Time</h2>
 *
 * No two clocks are ever compared. Whether somebody else's Lease has expired is measured from when
 * this process saw its last change, on its own monotonic clock; the times inside the Lease are for
 * people. A leader counts its own time from when it <i>sent</i> the renewal, so it always gives up
 * before anybody else can have waited for the whole lease.
 *
 * <h2>The lock</h2>
 *
 * joins {@code leading}, {@code deadline} and the order of what listeners are told, for {@link
 * #fence} comes from another thread while a renewal hangs. No request is made while holding it.
 */
final class Elector {

  private static final Logger log = LoggerFactory.getLogger(Elector.class);

  /** One conflict is a race that was lost; so many in a row keep the Lease from being renewed. */
  private static final int CONFLICTS_UNTIL_PROBLEM = 10;

  private final String identity;
  private final LeaseOptions options;
  private final LeaseStore store;
  private final Supplier<LeaseRecord> fresh;
  private final Clock clock;
  private final RandomGenerator random;
  private final LeaderListener listener;
  private final ReentrantLock lock = new ReentrantLock();

  private boolean leading;
  private long deadline;
  private String leader = "";

  // The last holder that was seen, at which version of the Lease, and whether it is held now.
  private String seenHolder = "";
  private String seenVersion = "";
  private long seenNanos;
  private Instant seenAt = Instant.EPOCH;
  private boolean held;

  /** What was stored when last seen; null when it must be read again. Confined to step. */
  private @Nullable LeaseRecord last;

  private final LeaseObservation sight = new LeaseObservation();
  private int conflictsInARow;

  /** Why the last step failed; empty when it did not. Written by step. */
  private volatile String problem = "";

  Elector(
      String identity,
      LeaseOptions options,
      LeaseStore store,
      Supplier<LeaseRecord> fresh,
      Clock clock,
      RandomGenerator random,
      LeaderListener listener) {
    this.identity = identity;
    this.options = options;
    this.store = store;
    this.fresh = fresh;
    this.clock = clock;
    this.random = random;
    this.listener = listener;
  }

  boolean isLeading() {
    lock.lock();
    try {
      return leading && clock.nanos() - deadline < 0;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how long this process may still act as the leader; zero when it does not lead. */
  Duration timeLeft() {
    lock.lock();
    try {
      return leading ? Duration.ofNanos(Math.max(0, deadline - clock.nanos())) : Duration.ZERO;
    } finally {
      lock.unlock();
    }
  }

  String problem() {
    return problem;
  }

  String leader() {
    lock.lock();
    try {
      return leader;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the last holder that was seen; empty when none was. */
  Optional<LeaderElection.HolderSeen> lastSeen() {
    lock.lock();
    try {
      return seenHolder.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new LeaderElection.HolderSeen(
                  seenHolder,
                  seenAt,
                  held && clock.nanos() - seenNanos < options.renewDeadline().toNanos()));
    } finally {
      lock.unlock();
    }
  }

  private void see(LeaseRecord lease) {
    lock.lock();
    try {
      if (!lease.resourceVersion().equals(seenVersion)) {
        seenVersion = lease.resourceVersion();
        held = !lease.holder().isEmpty();
        if (held) {
          seenHolder = lease.holder();
          seenNanos = clock.nanos();
          seenAt = clock.instant();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives up leadership when its deadline has passed; returns how long it still has, or zero. */
  Duration fence() {
    lock.lock();
    try {
      if (!leading) {
        return Duration.ZERO;
      }
      long left = deadline - clock.nanos();
      if (left > 0) {
        return Duration.ofNanos(left);
      }
      log.atWarn()
          .addKeyValue("identity", identity)
          .log("lease not renewed in time, leadership given up");
      stopLeading();
      return Duration.ZERO;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Renews, takes or looks at the Lease, and returns how long to wait before the next step. What is
   * thrown that is no answer of the server, by plug-ins of the client for instance, is a problem
   * like any other and is thrown on, for the caller to report.
   */
  Duration step() {
    fence();
    long sent = clock.nanos();
    try {
      Duration wait = tryOnce(sent);
      succeeded();
      return wait;
    } catch (ApiStatusException e) {
      // Whether it was stored is unknown, or somebody else was faster: look before the next try.
      last = null;
      boolean conflict = e.isConflict();
      if (!conflict || ++conflictsInARow >= CONFLICTS_UNTIL_PROBLEM) {
        failed(String.valueOf(e.getMessage()));
      }
      fence();
      return conflict ? options.retryPeriod().dividedBy(10) : options.retryPeriod();
    } catch (Throwable e) {
      last = null;
      failed(UserCode.text(e));
      fence();
      throw e;
    }
  }

  private void succeeded() {
    conflictsInARow = 0;
    if (!problem.isEmpty()) {
      log.atInfo().addKeyValue("identity", identity).log("lease reachable again");
      problem = "";
      listener.onProblem("");
    }
  }

  private void failed(String why) {
    if (problem.isEmpty()) {
      log.atWarn()
          .addKeyValue("identity", identity)
          .addKeyValue("problem", why)
          .log("lease unreachable, retrying");
    }
    if (!why.equals(problem)) {
      problem = why;
      listener.onProblem(why);
    }
  }

  private Duration tryOnce(long sent) {
    Optional<LeaseRecord> found = last == null ? store.get() : Optional.of(last);
    if (found.isEmpty()) {
      lostTo("");
      see(fresh.get());
      hold(store.create(held(fresh.get())), sent);
      return options.retryPeriod();
    }
    LeaseRecord lease = found.get();
    sight.observe(lease, clock.nanos());
    see(lease);
    if (lease.holder().equals(identity)) {
      hold(store.update(held(lease)), sent);
      return options.retryPeriod();
    }
    lostTo(lease.holder());
    Duration left = sight.left(lease, clock.nanos(), options.leaseDuration());
    if (lease.holder().isEmpty() || left.isZero()) {
      hold(store.update(held(lease)), sent);
      return options.retryPeriod();
    }
    last = null;
    Duration poll =
        options
            .retryPeriod()
            .plusNanos((long) (options.retryPeriod().toNanos() * 0.2 * random.nextDouble()));
    return left.compareTo(poll) < 0 ? left : poll;
  }

  private LeaseRecord held(LeaseRecord lease) {
    return lease.heldBy(identity, options.leaseDuration().toSeconds(), clock.instant());
  }

  private void hold(LeaseRecord stored, long sent) {
    last = stored;
    sight.observe(stored, clock.nanos());
    see(stored);
    lock.lock();
    try {
      deadline = sent + options.renewDeadline().toNanos();
      if (clock.nanos() - deadline >= 0) {
        // The answer came too late to lead on it; the next renewal may be quicker.
        if (leading) {
          stopLeading();
        }
        return;
      }
      if (!leading) {
        leading = true;
        log.atInfo().addKeyValue("identity", identity).log("started leading");
        listener.onStartedLeading();
      }
      noteLeader(identity);
    } finally {
      lock.unlock();
    }
  }

  private void lostTo(String holder) {
    lock.lock();
    try {
      if (leading) {
        stopLeading();
      }
      noteLeader(holder);
    } finally {
      lock.unlock();
    }
  }

  private void noteLeader(String holder) {
    if (!leader.equals(holder)) {
      leader = holder;
      if (!holder.isEmpty()) {
        listener.onNewLeader(holder);
      }
    }
  }

  private void stopLeading() {
    leading = false;
    log.atInfo().addKeyValue("identity", identity).log("stopped leading");
    listener.onStoppedLeading();
  }

  /** Stops leading, without giving the Lease back yet; returns whether this process led. */
  boolean resign() {
    lock.lock();
    try {
      if (!leading) {
        return false;
      }
      stopLeading();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives the Lease back when it is still ours, so that the next leader need not wait. A conflict,
   * with somebody who has put a label on it for instance, leads to another look.
   */
  void release() {
    try {
      Releases.release(store, identity, clock);
    } catch (ApiStatusException e) {
      // It will expire by itself; the others wait a little longer.
      log.atInfo()
          .addKeyValue("identity", identity)
          .addKeyValue("problem", e.getMessage())
          .log("lease could not be released");
    }
  }
}
