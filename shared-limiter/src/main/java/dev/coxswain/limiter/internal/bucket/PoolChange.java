// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.bucket.PoolReply.Status;
import org.jspecify.annotations.Nullable;

/**
 * The result of applying a request to the state of a pool. Permits are granted only here. Pure
 * functions, so that tests run the same code as a Hazelcast member.
 *
 * <p>Thread rule: immutable.
 *
 * @param state the new state to store, or null when it is unchanged
 * @param reply the reply to send
 */
@SuppressWarnings("ArrayRecordComponent") // serialized values, never compared
public record PoolChange(byte @Nullable [] state, byte[] reply) {

  /**
   * Applies a request.
   *
   * @param limiter the name of the limiter
   * @param state the stored state, or null when there is none
   * @param encoded the bytes of a {@link PoolRequest}
   * @param owner the process that applies it
   */
  public static PoolChange apply(
      String limiter, byte @Nullable [] state, byte[] encoded, PoolOwner owner) {
    try {
      PoolRequest request = PoolRequest.decode(encoded);
      if (request == null) {
        return refuse(Status.VERSION, owner);
      }
      if (!owner.hasMajority(request.liveReplicas())) {
        return refuse(Status.MINORITY, owner);
      }
      if (!owner.hasBackup(limiter, request.liveReplicas())) {
        return refuse(Status.NO_BACKUP, owner);
      }
      LimiterSpec spec = request.spec(limiter);
      Bucket bucket =
          state == null
              ? Bucket.lost(
                  new EntryId(owner.idHigh(), owner.idLow(), owner.nanos()),
                  BudgetSplit.of(spec, request.shape()),
                  request.coldNanos())
              : Bucket.decode(state);
      return bucket == null ? refuse(Status.VERSION, owner) : apply(bucket, spec, request, owner);
    } catch (IllegalArgumentException e) {
      return refuse(Status.INVALID, owner);
    }
  }

  private static PoolChange apply(
      Bucket bucket, LimiterSpec spec, PoolRequest request, PoolOwner owner) {
    BudgetSplit base = BudgetSplit.of(spec, request.shape());
    boolean ownerChanged = bucket.advance(owner, base);
    RateOverride change = request.override();
    if (change != null) {
      BudgetSplit.of(
          spec,
          change.leftNanos() > 0 ? change : null,
          request.shape()); // throws when the burst is too small
      bucket.override(change.rate(), change.burst(), change.leftNanos());
    }
    PoolRequest.Held held = request.held();
    boolean restored = held != null && bucket.restore(held.entry(), held.override(), spec);
    BudgetSplit split = BudgetSplit.of(spec, bucket.override(), request.shape());
    bucket.limits(split.poolInterval(), split.capacity(), split.permitNanos());
    // Every permit expires before a pool whose entry was lost grants again.
    long cold = Math.max(0, request.coldNanos() - split.permitNanos());
    long horizon = Math.min(split.horizon(), base.horizon() + cold);
    long delay = bucket.nextDelay();
    int granted = bucket.grant(request.count(), horizon);
    PoolReply reply =
        new PoolReply(
            Status.DONE,
            granted,
            delay,
            split.poolInterval(),
            horizon,
            split.permitNanos(),
            split.slackNanos(),
            owner.idHigh(),
            owner.idLow(),
            owner.nanos(),
            bucket.tokens(),
            bucket.entry(),
            bucket.overrideGeneration(),
            bucket.override());
    boolean changed = ownerChanged || granted > 0 || change != null || restored;
    return new PoolChange(changed ? bucket.encode() : null, reply.encode());
  }

  private static PoolChange refuse(Status status, PoolOwner owner) {
    return new PoolChange(null, PoolReply.refused(status, owner).encode());
  }
}
