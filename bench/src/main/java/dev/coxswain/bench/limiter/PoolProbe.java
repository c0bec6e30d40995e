// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.budget.PoolFailure;
import dev.coxswain.limiter.internal.hazelcast.ChangeProcessor;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Claims permits of a pool one by one, as a budget does below its line: shows what one round trip
 * costs.
 *
 * <p>Thread rule: any thread, but no event loop.
 */
public final class PoolProbe {
  private final IMap<String, byte @Nullable []> pools;
  private final String limiter;
  private final byte[] request;

  /**
   * Creates a probe for the member of these options, which must run in this process.
   *
   * @param options those of the member
   * @param spec the limiter
   * @param replicas how many replicas there are
   */
  public PoolProbe(MemberOptions options, LimiterSpec spec, int replicas) {
    HazelcastInstance member =
        Hazelcast.getAllHazelcastInstances().stream()
            .filter(one -> one.getConfig().getClusterName().equals(options.hazelcastName()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("the member does not run"));
    this.pools = member.getMap(MemberConfig.POOLS);
    this.limiter = spec.name();
    this.request =
        new PoolRequest(
                spec.rate(),
                spec.burst(),
                options.shape(),
                1,
                replicas,
                options.viewAge().toNanos(),
                null,
                null)
            .encode();
  }

  /**
   * Claims one permit.
   *
   * @return 0 when it is good now, else the nanoseconds until one will be; fails when the pool does
   *     not serve
   */
  public CompletionStage<Long> claim() {
    return pools
        .submitToKey(limiter, new ChangeProcessor(request))
        .thenApplyAsync(PoolProbe::nanosUntilGood, Runnable::run);
  }

  private static long nanosUntilGood(byte[] bytes) {
    PoolReply reply = PoolReply.decode(bytes);
    if (reply == null || reply.status() != PoolReply.Status.DONE) {
      throw new IllegalStateException(PoolFailure.describe(reply, null));
    }
    return reply.granted() == 1 ? 0 : Math.max(1, reply.firstDelay());
  }
}
