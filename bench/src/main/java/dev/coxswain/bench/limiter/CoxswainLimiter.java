// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.member.LimiterMember;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Coxswain's member, without floors: the grants of a floor need no other member, and would improve the figures. */
final class CoxswainLimiter implements LimiterSubject {
  private static final long LOOK_AGAIN_NANOS = 20_000_000;

  private final Loop loop;
  private final Place place;
  private final MemberOptions options;
  private final LimiterMember member;

  /** Claims are made on a thread of their own, as a budget does it. */
  private final ExecutorService calls =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("claims").factory());

  CoxswainLimiter(Loop loop, Place place) {
    this.loop = loop;
    this.place = place;
    this.options =
        MemberOptions.of("bench-" + place.ordinal())
            .withPort(place.port())
            .withMembers(place.addresses())
            .withClusterName(place.clusterName())
            .withMaxReplicas(place.members())
            .withFloorShare(0)
            .withViewAge(Duration.ofMillis(10));
    this.member =
        LimiterMember.create(
            loop.vertx(),
            options,
            ReplicaView.fixed(new Lease(place.ordinal(), System.nanoTime()), place.members()),
            address -> {});
    member.start().await();
    while (member.status().members() < place.members()) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  @Override
  public TokenRequests open(String way, String limiter, Cap cap, TokenRequest.Granted granted) {
    LimiterSpec spec = new LimiterSpec(way + "-" + limiter, cap.rate(), cap.burst());
    if (way.equals(COXSWAIN)) {
      return new BudgetRequests(member.budget(spec), loop, granted);
    }
    PoolProbe pool = new PoolProbe(options, spec, place.members());
    return new CallRequests(() -> claim(pool, calls), loop, granted);
  }

  private static CompletionStage<Long> claim(PoolProbe pool, Executor executor) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    executor.execute(() ->
        pool.claim()
            .whenCompleteAsync(
                (wait, e) -> {
                  if (e == null) {
                    answer.complete(wait);
                  } else {
                    answer.completeExceptionally(e);
                  }
                },
                Runnable::run));
    return answer;
  }

  @Override
  public void close() {
    member.stop().await();
    calls.shutdown();
  }
}
