// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a running member must be replaced by a new one, and how long to wait between
 * attempts.
 *
 * <p>Thread rule: one thread.
 */
final class MemberRestartPolicy {
  // Outnumbered
  //
  // If more members of replicas with a Lease are outside this part of the cluster than in it, a
  // majority may exist there and grant permits, so the state of this member may be outdated. It
  // must never be used again, neither by this member nor by one that joins it later. So a member
  // that may hold state is replaced at once. The new one has no state, and a pool without state
  // starts in debt. A part with a majority is never outnumbered, because it has more than half of
  // all replica Leases, so two parts are never both replaced for this reason.
  //
  // Isolated
  //
  // A member in a minority does not join the others for a long time, because Hazelcast searches for
  // them only after five minutes. It is replaced when one of the others can be joined; otherwise a
  // new member would be isolated too. Members of another generation accept connections but cannot
  // be joined. Replicas that still start have not published an address, so no member is replaced
  // because of them.

  /** The time that a minority may last before the first replacement. */
  static final long MINORITY_NANOS = 15_000_000_000L;

  /** The longest time before a replacement, after several that did not help. */
  static final long MAX_MINORITY_NANOS = 120_000_000_000L;

  /** The pause after the first failed start. */
  static final long FIRST_PAUSE_NANOS = 1_000_000_000L;

  /** The longest pause between two attempts to start. */
  static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

  /** After a majority has lasted this long, the times start again from their first values. */
  private static final long STABLE_NANOS = 60_000_000_000L;

  private static final double JITTER = 0.5;

  private final RandomGenerator random;
  private long minorityNanos = MINORITY_NANOS;
  private long pause = FIRST_PAUSE_NANOS;
  private boolean majority;
  private boolean mayHoldState;
  private long since;
  private long limit;

  MemberRestartPolicy(RandomGenerator random) {
    this.random = random;
  }

  /** Resets the policy for a new member, which has no state yet. */
  void started(long now) {
    pause = FIRST_PAUSE_NANOS;
    mayHoldState = false;
    beginMinority(now);
  }

  private void beginMinority(long now) {
    majority = false;
    since = now;
    limit = jittered(minorityNanos);
  }

  /** Returns how long to wait after a start that failed. */
  long pauseAfterFailure() {
    long wait = jittered(pause);
    pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
    return wait;
  }

  private long jittered(long nanos) {
    return (long) (nanos * (1 + JITTER * random.nextDouble()));
  }

  /**
   * Returns why the member must be replaced, or null. To be called about once a second.
   *
   * @param isMajority whether its part of the cluster is the majority
   * @param here the addresses of the members in its part
   * @param leaseHolders the addresses that the replicas with a Lease have published
   * @param joinable whether this member could join the one at an address; may block for up to a
   *     second
   */
  @Nullable String restartReason(
      boolean isMajority,
      Collection<String> here,
      Set<String> leaseHolders,
      Predicate<String> joinable,
      long now) {
    if (isMajority) {
      if (!majority) {
        majority = true;
        mayHoldState = true;
        since = now;
      } else if (now - since >= STABLE_NANOS) {
        minorityNanos = MINORITY_NANOS;
      }
      return null;
    }
    if (majority) {
      beginMinority(now);
    }
    Set<String> elsewhere = new HashSet<>(leaseHolders);
    elsewhere.removeAll(here);
    if (mayHoldState && elsewhere.size() > leaseHolders.size() - elsewhere.size()) {
      return "more replicas are in another part of the cluster than in this one";
    }
    if (now - since < limit || elsewhere.stream().noneMatch(joinable)) {
      return null;
    }
    minorityNanos = Math.min(MAX_MINORITY_NANOS, minorityNanos * 2);
    return "in a minority for long while other replicas can be reached";
  }
}
