// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.limiter.internal.bucket.PoolChange;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.budget.PoolStore;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The pool of the shared limiter in memory, a trip away: the arithmetic is that of a Hazelcast
 * member.
 *
 * <p>Thread rule: one thread.
 */
final class MemoryPool implements PoolStore, PoolOwner {

  private final VirtualTime time;
  private final Duration trip;
  private final Map<String, byte[]> states = new HashMap<>();

  MemoryPool(VirtualTime time, Duration trip) {
    this.time = time;
    this.trip = trip;
  }

  @Override
  public CompletionStage<byte[]> apply(String limiter, byte[] request) {
    CompletableFuture<byte[]> reply = new CompletableFuture<>();
    time.after(trip)
        .onSuccess(arrived -> {
          PoolChange change = PoolChange.apply(limiter, states.get(limiter), request, this);
          if (change.state() != null) {
            states.put(limiter, change.state());
          }
          time.after(trip).onSuccess(returned -> reply.complete(change.reply()));
        });
    return reply;
  }

  @Override
  public long idHigh() {
    return 1;
  }

  @Override
  public long idLow() {
    return 1;
  }

  @Override
  public long nanos() {
    return time.nanos();
  }

  @Override
  public boolean hasBackup(String limiter, int liveReplicas) {
    return true;
  }

  @Override
  public boolean hasMajority(int liveReplicas) {
    return true;
  }
}
