// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.grid.hazelcast.Bucket4jHazelcast;
import io.github.bucket4j.grid.hazelcast.HazelcastProxyManager;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * Bucket4j on a Hazelcast member with the network, the backup and the switched-off extras of ours,
 * and its own serializers, as its manual advises; without what ours adds for splits, which would
 * cost it and is not a part of it.
 */
final class Bucket4jLimiter implements LimiterSubject {
  private static final long LOOK_AGAIN_NANOS = 20_000_000;
  private static final int FIRST_TYPE_ID = 10_000;

  private final Loop loop;
  private final HazelcastInstance member;
  private final AsyncProxyManager<String> buckets;

  Bucket4jLimiter(Loop loop, Place place) {
    this.loop = loop;
    this.member = Hazelcast.newHazelcastInstance(config(place));
    this.buckets =
        Bucket4jHazelcast.entryProcessorBasedBuilder(member.<String, byte[]>getMap("buckets"))
            .build()
            .asAsync();
    while (member.getCluster().getMembers().size() < place.members()) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  private static Config config(Place place) {
    Config config = new Config();
    config.setClusterName(place.clusterName());
    config.getNetworkConfig().setPort(place.port()).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(place.addresses());
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.io.thread.count", "3");
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "10");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.getJetConfig().setEnabled(false);
    config.getMetricsConfig().setEnabled(false);
    config.getMapConfig("buckets").setBackupCount(1).setStatisticsEnabled(false);
    HazelcastProxyManager.addCustomSerializers(config.getSerializationConfig(), FIRST_TYPE_ID);
    return config;
  }

  @Override
  public TokenRequests open(String way, String limiter, Load load, TokenRequests.Granted granted) {
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(limit ->
                limit
                    .capacity(load.burst())
                    .refillGreedy((long) load.rate(), Duration.ofSeconds(1)))
            .build();
    var builder = buckets.builder();
    if (way.equals(BUCKET4J_BATCHING)) {
      Optimization batching = Optimizations.batching();
      builder = builder.withOptimization(batching);
    }
    AsyncBucketProxy bucket =
        builder.build(way + "-" + limiter, () -> CompletableFuture.completedFuture(configuration));
    return new CallRequests(
        () -> bucket.tryConsumeAndReturnRemaining(1).thenApply(Bucket4jLimiter::nanosToWait),
        loop,
        granted);
  }

  private static long nanosToWait(ConsumptionProbe probe) {
    return probe.isConsumed() ? 0 : Math.max(1, probe.getNanosToWaitForRefill());
  }

  @Override
  public void close() {
    member.shutdown();
  }
}
