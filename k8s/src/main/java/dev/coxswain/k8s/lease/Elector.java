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
 * No two clocks are ever compared. Whether another holder's Lease has expired is measured from its
 * last observed change, on the monotonic clock of this process; the times inside the Lease are for
 * display. A leader counts its time from when it <i>sent</i> the renewal, so it always stops before
 * another process can have waited for the whole lease.
 *
 * <h2>The lock</h2>
 *
 * The monitor guards {@code leading}, {@code deadline} and the order of the listener's calls,
 * because {@link #fence} is called on another thread while a renewal hangs. No request is made while
 * holding it.
 */
final class Elector {

  private static final Logger log = LoggerFactory.getLogger(Elector.class);

  /** One conflict is a lost race; so many in a row keep the Lease from being renewed. */
  private static final int CONFLICTS_UNTIL_PROBLEM = 10;

  private static final double JITTER = 0.2;

  private final String identity;
  private final LeaseOptions options;
  private final LeaseStore store;
  private final LeaseRecord fresh;
  private final Clock clock;
  private final RandomGenerator random;
  private final LeaderListener listener;

  private boolean leading;

  /** The number of times that this process has begun to lead. */
  private long term;

  private long deadline;
  private String leader = "";

  // The last observed holder, the version of the Lease, and whether it is held now.
  private String observedHolder = "";
  private String seenVersion = "";
  private long seenNanos;
  private Instant seenAt = Instant.EPOCH;
  private boolean held;

  /** The Lease as last read; null when it must be read again. Confined to step. */
  private @Nullable LeaseRecord last;

  /** The uid of the Lease that is held, or was held last. Confined to step. */
  private String heldUid = "";

  private final LeaseObservation observation = new LeaseObservation();
  private int conflictsInARow;

  /** The failure of the last step; empty when it succeeded. Written by step. */
  private volatile String problem = "";

  Elector(
      String identity,
      LeaseOptions options,
      LeaseStore store,
      LeaseRecord fresh,
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

  synchronized boolean isLeading() {
    return leading && clock.nanos() - deadline < 0;
  }

  /** Returns the number of the present leadership; a number that is never used while none is. */
  synchronized long term() {
    return leading ? term : 0;
  }

  /** Returns how long a leadership lasts at least; zero when it has ended. */
  synchronized Duration timeLeft(long of) {
    return leading && of == term
        ? Duration.ofNanos(Math.max(0, deadline - clock.nanos()))
        : Duration.ZERO;
  }

  String problem() {
    return problem;
  }

  synchronized String leader() {
    return leader;
  }

  /** Returns the last observed holder; empty before the first. */
  synchronized Optional<LeaderElection.ObservedHolder> lastSeen() {
    return observedHolder.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new LeaderElection.ObservedHolder(
                observedHolder,
                seenAt,
                held && clock.nanos() - seenNanos < options.renewDeadline().toNanos()));
  }

  private synchronized void observe(LeaseRecord lease) {
    if (!lease.resourceVersion().equals(seenVersion)) {
      seenVersion = lease.resourceVersion();
      held = !lease.holder().isEmpty();
      if (held) {
        observedHolder = lease.holder();
        seenNanos = clock.nanos();
        seenAt = clock.instant();
      }
    }
  }

  /** Ends leadership when its deadline has passed; returns the time left, or zero. */
  synchronized Duration fence() {
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
  }

  /**
   * Renews, takes or reads the Lease, and returns how long to wait before the next step. Exceptions
   * other than a response of the server, by plug-ins of the client for instance, are recorded as
   * the problem and rethrown for the caller to report.
   */
  Duration step() {
    fence();
    long sent = clock.nanos();
    try {
      Duration wait = tryOnce(sent);
      succeeded();
      return wait;
    } catch (ApiStatusException e) {
      // The result of the write is unknown, or another process was faster: read before the next
      // try.
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
      observe(fresh);
      hold(store.create(held(fresh)), sent);
      return options.retryPeriod();
    }
    LeaseRecord lease = found.get();
    observation.observe(lease, clock.nanos());
    observe(lease);
    if (!lease.uid().equals(heldUid)) {
      // The Lease that was held is gone: another process may have led since.
      lostTo(lease.holder());
    }
    if (!lease.holder().equals(identity)) {
      lostTo(lease.holder());
      Duration left = observation.left(lease, clock.nanos(), options.leaseDuration());
      if (!lease.holder().isEmpty() && !left.isZero()) {
        last = null;
        long poll = (long) (options.retryPeriod().toNanos() * (1 + JITTER * random.nextDouble()));
        return Duration.ofNanos(Math.min(left.toNanos(), poll));
      }
    }
    hold(store.update(held(lease)), sent);
    return options.retryPeriod();
  }

  private LeaseRecord held(LeaseRecord lease) {
    return lease.heldBy(identity, options.leaseDuration().toSeconds(), clock.instant());
  }

  private synchronized void hold(LeaseRecord stored, long sent) {
    last = stored;
    heldUid = stored.uid();
    observation.observe(stored, clock.nanos());
    observe(stored);
    deadline = sent + options.renewDeadline().toNanos();
    if (clock.nanos() - deadline >= 0) {
      // The response came too late to lead on it; the next renewal may be quicker.
      if (leading) {
        stopLeading();
      }
      return;
    }
    if (!leading) {
      leading = true;
      term++;
      log.atInfo().addKeyValue("identity", identity).log("started leading");
      listener.onStartedLeading();
    }
    noteLeader(identity);
  }

  private synchronized void lostTo(String holder) {
    if (leading) {
      stopLeading();
    }
    noteLeader(holder);
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

  /** Stops leading, without releasing the Lease yet; returns whether this process led. */
  synchronized boolean resign() {
    if (!leading) {
      return false;
    }
    stopLeading();
    return true;
  }

  /**
   * Releases the Lease if this process still holds it, so that the next leader need not wait. After
   * a conflict, with a new label for instance, it is read again.
   */
  void release() {
    Releases.release(store, identity, clock);
  }
}
