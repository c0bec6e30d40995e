// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.RateOverride;
import dev.coxswain.limiter.internal.bucket.PoolReply.Status;
import org.jspecify.annotations.Nullable;

/**
 * Applies a request to the state of a pool: the one place where permits are made. Pure, so that the
 * simulation runs exactly what a Hazelcast member runs.
 *
 * <p>Thread rule: immutable.
 *
 * @param state the new state to store, or null to leave what is there
 * @param reply what to answer
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way, never compared
public record PoolChange(byte @Nullable [] state, byte[] reply) {

  /**
   * Applies a request.
   *
   * @param limiter the name of the limiter
   * @param state what is stored, or null when nothing is
   * @param request the bytes of a {@link PoolRequest}
   * @param owner the process that this happens on
   */
  public static PoolChange apply(
      String limiter, byte @Nullable [] state, byte[] request, PoolOwner owner) {
    try {
      PoolRequest asked = PoolRequest.decode(request);
      if (asked == null) {
        return refuse(Status.VERSION, owner);
      }
      if (!owner.hasMajority(asked.liveReplicas())) {
        return refuse(Status.MINORITY, owner);
      }
      LimiterSpec spec = asked.spec(limiter);
      Bucket bucket =
          state == null
              ? Bucket.lost(
                  new EntryId(owner.idHigh(), owner.idLow(), owner.nanos()),
                  BudgetSplit.of(spec, asked.shape()),
                  asked.coldNanos())
              : Bucket.decode(state);
      return bucket == null ? refuse(Status.VERSION, owner) : apply(bucket, spec, asked, owner);
    } catch (IllegalArgumentException e) {
      return refuse(Status.INVALID, owner);
    }
  }

  private static PoolChange apply(
      Bucket bucket, LimiterSpec spec, PoolRequest asked, PoolOwner owner) {
    BudgetSplit base = BudgetSplit.of(spec, asked.shape());
    boolean taken = bucket.advance(owner, base);
    RateOverride set = asked.override();
    if (set != null) {
      BudgetSplit.of(
          spec, set.leftNanos() > 0 ? set : null, asked.shape()); // throws when it cannot be
      bucket.override(set.rate(), set.burst(), set.leftNanos());
    }
    PoolRequest.Held held = asked.held();
    boolean restored = held != null && bucket.restore(held.entry(), held.override(), spec);
    BudgetSplit shares = BudgetSplit.of(spec, bucket.override(), asked.shape());
    bucket.limits(shares.poolInterval(), shares.capacity(), shares.permitNanos());
    // No permit outlives the time for which the pool stays shut after the loss of its entry.
    long cold = Math.max(0, asked.coldNanos() - shares.permitNanos());
    long horizon = Math.min(shares.horizon(), base.horizon() + cold);
    long delay = bucket.nextDelay();
    int granted = bucket.grant(asked.count(), horizon);
    PoolReply reply =
        new PoolReply(
            Status.DONE,
            granted,
            delay,
            shares.poolInterval(),
            horizon,
            shares.permitNanos(),
            shares.slackNanos(),
            owner.idHigh(),
            owner.idLow(),
            owner.nanos(),
            bucket.tokens(),
            bucket.entry(),
            bucket.overrideGeneration(),
            bucket.override());
    boolean changed = taken || granted > 0 || set != null || restored;
    return new PoolChange(changed ? bucket.encode() : null, reply.encode());
  }

  private static PoolChange refuse(Status status, PoolOwner owner) {
    return new PoolChange(null, PoolReply.refused(status, owner).encode());
  }
}
