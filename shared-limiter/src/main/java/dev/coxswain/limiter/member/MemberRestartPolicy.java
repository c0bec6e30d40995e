// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.member;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a member that runs is of no use any more and must be replaced by one that joins
 * afresh, and how long to wait between attempts.
 *
 * <p>Thread rule: one thread.
 */
final class MemberRestartPolicy {
  // Outnumbered
  //
  // When more members of replicas with a Lease are outside of this part of the cluster than in it,
  // a
  // majority may be elsewhere and hand out permits, so what this member keeps is out of date. It
  // must not serve it ever again: not to itself, and not to a member that joins it later. So a
  // member that may keep something is replaced at once. The new one keeps nothing, and a pool of
  // which nothing is known starts in debt. A part that is a majority is never outnumbered, because
  // it is more than half of all replica Leases; so two parts are never both replaced for that.
  //
  // Stuck
  //
  // A member that has been in a minority for long could join the others and does not: Hazelcast
  // looks for them after five minutes only. It is replaced when one of the others can be joined; as
  // long as none can, a new member would be as lonely. Members of another generation can be
  // connected to and never joined. While others still start they have
  // not given an address yet, so nobody is replaced for that.

  /** How long a minority may last before a member is replaced, for the first time. */
  static final long PATIENCE_NANOS = 15_000_000_000L;

  /** The longest that it may last, after several replacements that did not help. */
  static final long MOST_PATIENCE_NANOS = 120_000_000_000L;

  /** How long after a failed start the next one is tried, at first. */
  static final long FIRST_PAUSE_NANOS = 1_000_000_000L;

  /** The longest pause between two attempts to start. */
  static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

  /** A majority that has lasted for so long was no accident: the next trouble is a new one. */
  private static final long CALM_NANOS = 60_000_000_000L;

  private static final double JITTER = 0.5;

  private final RandomGenerator random;
  private long patience = PATIENCE_NANOS;
  private long pause = FIRST_PAUSE_NANOS;
  private boolean majority;
  private boolean trusted;
  private long since;
  private long limit;

  MemberRestartPolicy(RandomGenerator random) {
    this.random = random;
  }

  /** A new member runs, and keeps nothing yet. */
  void started(long now) {
    pause = FIRST_PAUSE_NANOS;
    trusted = false;
    minority(now);
  }

  private void minority(long now) {
    majority = false;
    since = now;
    limit = jittered(patience);
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
   * Returns why the member must be replaced, or null. To be asked about once in a second.
   *
   * @param isMajority whether its part of the cluster is the majority
   * @param here the addresses of the members in its part
   * @param leaseHolders the addresses that the replicas with a Lease have given
   * @param joinable whether there is a member at an address that this one could join; may take a
   *     while
   */
  @Nullable String why(
      boolean isMajority,
      Collection<String> here,
      Set<String> leaseHolders,
      Predicate<String> joinable,
      long now) {
    if (isMajority) {
      if (!majority) {
        majority = true;
        trusted = true;
        since = now;
      } else if (now - since >= CALM_NANOS) {
        patience = PATIENCE_NANOS;
      }
      return null;
    }
    if (majority) {
      minority(now);
    }
    Set<String> elsewhere = new HashSet<>(leaseHolders);
    elsewhere.removeAll(here);
    if (trusted && elsewhere.size() > leaseHolders.size() - elsewhere.size()) {
      return "more replicas are in another part of the cluster than in this one";
    }
    if (now - since < limit || elsewhere.stream().noneMatch(joinable)) {
      return null;
    }
    patience = Math.min(MOST_PATIENCE_NANOS, patience * 2);
    return "it has been in a minority for long, and others can be reached";
  }
}
