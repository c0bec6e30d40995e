// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.map.IMap;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.budget.PoolFailure;
import dev.coxswain.limiter.internal.hazelcast.ChangeProcessor;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import dev.coxswain.limiter.internal.member.LimiterMember;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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
  public TokenRequests open(String way, String limiter, Load load, TokenRequests.Granted granted) {
    LimiterSpec spec = new LimiterSpec(way + "-" + limiter, load.rate(), load.burst());
    if (way.equals(COXSWAIN)) {
      return new BudgetRequests(member.budget(spec), loop, granted);
    }
    byte[] request =
        new PoolRequest(
                spec.rate(),
                spec.burst(),
                options.shape(),
                1,
                place.members(),
                options.viewAge().toNanos(),
                null,
                null)
            .encode();
    return new CallRequests(() -> claim(spec.name(), request), loop, granted);
  }

  /** Claims a permit, as a budget does below its line; 0 when it is good now, else the wait. */
  private CompletionStage<Long> claim(String limiter, byte[] request) {
    return CompletableFuture.supplyAsync(
            () -> pools().submitToKey(limiter, new ChangeProcessor(request)), calls)
        .thenCompose(answer -> answer)
        .thenApplyAsync(CoxswainLimiter::nanosUntilGood, Runnable::run);
  }

  private IMap<String, byte @Nullable []> pools() {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(one -> one.getConfig().getClusterName().equals(options.hazelcastName()))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the member does not run"))
        .getMap(MemberConfig.POOLS);
  }

  private static long nanosUntilGood(byte[] bytes) {
    PoolReply reply = PoolReply.decode(bytes);
    if (reply == null || reply.status() != PoolReply.Status.DONE) {
      throw new IllegalStateException(PoolFailure.describe(reply, null));
    }
    return reply.granted() == 1 ? 0 : Math.max(1, reply.firstDelay());
  }

  @Override
  public void close() {
    member.stop().await();
    calls.shutdown();
  }
}
