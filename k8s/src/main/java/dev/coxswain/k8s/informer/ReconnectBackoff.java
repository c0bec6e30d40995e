// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The backoff of a reflector after failures: doubled each time up to a maximum, with jitter so that
 * many reflectors do not reconnect at once, and reset after a time without failures or when an outage
 * has ended: a server that has just started may refuse the first requests. For half a minute after
 * that no wait is longer than a second.
 *
 * <p>A wait ends early after an outage of the API server: when the server was unreachable since the
 * failure before, and has answered some request of this process by now, such as a probe or the
 * renewal of a Lease. It ends within 0.75 s of that, at a random time: so watches return soon after
 * an outage, even when the server then has them wait a second more, and not all at once, and a server that answers other requests while watches fail is left alone for
 * the whole wait.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
final class ReconnectBackoff {

  /** The shortest time until an answer ends a wait, and what is added at random at most. */
  private static final long LOOK = Duration.ofMillis(250).toNanos();

  private static final long SPREAD = Duration.ofMillis(500).toNanos();

  /** How long a server may take from its first answer until it serves everything. */
  private static final long STARTING = Duration.ofSeconds(30).toNanos();

  /** The longest wait while it may. */
  private static final long WHILE_STARTING = Duration.ofSeconds(1).toNanos();

  private static final long NONE = -1;

  private final CacheOptions options;
  private final Clock clock;
  private final RandomGenerator random;
  private int failures;
  private long lastFailureEnd;
  private final LongSupplier answers;
  private final Runnable probe;

  /** The answers of the server by the last failure; {@link #NONE} before the first. */
  private long answersAtFailure = NONE;

  /** Whether the server has answered nothing between the last two failures. */
  private boolean unreachable;

  /**
   * Creates a backoff.
   *
   * @param answers returns how many requests of this process the server has answered
   * @param probe has it answer one soon, if it can; does not block
   */
  ReconnectBackoff(
      CacheOptions options,
      Clock clock,
      RandomGenerator random,
      LongSupplier answers,
      Runnable probe) {
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.answers = answers;
    this.probe = probe;
  }

  /** Whether the last failure was one of an outage. */
  private boolean outage;

  /** Whether an outage ended just now, and when. */
  private boolean recovering;

  private long recovered;

  /** The next wait is not one after a failure, or its length was given by the server. */
  void whole() {
    unreachable = false;
  }

  /** Waits for a time, less after an outage, or until the latch is open. */
  void await(Duration time, CountDownLatch stop) throws InterruptedException {
    long left = time.toNanos();
    if (!unreachable) {
      stop.await(left, TimeUnit.NANOSECONDS);
      return;
    }
    while (left > 0 && answers.getAsLong() == answersAtFailure) {
      probe.run();
      long look = Math.min(left, LOOK + random.nextLong(SPREAD));
      if (stop.await(look, TimeUnit.NANOSECONDS)) {
        return;
      }
      left -= look;
    }
  }

  /** Counts a failure and returns how long to wait: from half of the nominal wait to all of it. */
  Duration next() {
    long now = clock.nanos();
    if (observe(now)
        || (failures > 0 && now - lastFailureEnd >= options.backoffReset().toNanos())) {
      failures = 0;
    }
    long longest = options.maxBackoff().toNanos();
    long max = recovering ? Math.min(longest, WHILE_STARTING) : longest;
    long nominal = options.minBackoff().toNanos();
    for (int i = 0; i < failures && nominal < max; i++) {
      nominal = Math.min(max, nominal * 2);
    }
    if (nominal < max) {
      failures++;
    }
    long wait = jittered(nominal);
    lastFailureEnd = now + wait;
    return Duration.ofNanos(wait);
  }

  /**
   * Returns how long to wait for a resource that is not installed. A server that has just started
   * may only not have read its definition yet.
   */
  Duration absent() {
    observe(clock.nanos());
    return recovering
        ? Duration.ofNanos(jittered(Math.min(WHILE_STARTING, options.absentApiWait().toNanos())))
        : options.absentApiWait();
  }

  /** Returns whether an outage ended at most half a minute before the last failure. */
  boolean isRecovering() {
    return recovering;
  }

  private long jittered(long nominal) {
    return nominal / 2 + (long) (random.nextDouble() * (nominal - nominal / 2));
  }

  /** Compares the answers of the server with those by the failure before; true if an outage ended. */
  private boolean observe(long now) {
    long answered = answers.getAsLong();
    unreachable = answered == answersAtFailure;
    answersAtFailure = answered;
    boolean ended = outage && !unreachable;
    outage = unreachable;
    if (ended) {
      recovered = now;
      recovering = true;
    } else if (recovering) {
      recovering = !unreachable && now - recovered < STARTING;
    }
    return ended;
  }

  /**
   * Decides when a watch is no longer resumed from a resource version: when the server has refused it
   * twice, or for half a minute. It may refuse this version for ever, for instance for an event that it
   * cannot read, and a list gets past it.
   *
   * <p>No response is no refusal, and a server that is overloaded has said nothing of the version; but
   * half a minute is the limit for that, too. Thread rule: confined to its reflector's thread.
   */
  static final class RefusedVersion {

    private static final int REFUSALS = 2;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    private final Clock clock;
    private String version = "";
    private int refusals;
    private long since;

    RefusedVersion(Clock clock) {
      this.clock = clock;
    }

    /**
     * Counts a refusal.
     *
     * @param from the version from which the watch was requested; empty for a list
     */
    boolean isForGood(String from, ApiStatusException refusal) {
      if (from.isEmpty() || refusal.isNoAnswer()) {
        return false;
      }
      if (!from.equals(version)) {
        version = from;
        refusals = 0;
        since = clock.nanos();
      }
      if (refusal.code() != TOO_MANY_REQUESTS && refusal.code() != UNAVAILABLE) {
        refusals++;
      }
      boolean forGood = refusals >= REFUSALS || clock.nanos() - since >= LIMIT.toNanos();
      if (forGood) {
        version = "";
      }
      return forGood;
    }
  }
}
