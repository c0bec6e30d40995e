// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Hazelcast member that has joined, until it is shut down or terminated. A new one takes
 * nothing over from the last, not even its name as an owner of pools.
 *
 * <p>Thread rule: any thread; {@link #start}, {@link #shutdown} and {@link #terminate} block.
 */
final class PoolMember {
  private static final Logger log = LoggerFactory.getLogger(PoolMember.class);

  private final String address;
  private final HazelcastInstance instance;
  private final MemberOwner owner;

  private PoolMember(HazelcastInstance instance, MemberOwner owner) {
    this.instance = instance;
    this.owner = owner;
    this.address = address(instance.getCluster().getLocalMember());
  }

  /** Starts a member, lets it join and makes the first calls, which load classes and tables. */
  static PoolMember start(MemberOptions options, ReplicaView view, MemberOwner owner) {
    HazelcastInstance made = Hazelcast.newHazelcastInstance(MemberConfig.of(options, view));
    owner.joined(made.getCluster());
    made.getUserContext().put(ChangeProcessor.OWNER, owner);
    PoolMember member = new PoolMember(made, owner);
    member.warmUp();
    return member;
  }

  /** The first call on a path has taken up to 86 ms. */
  private void warmUp() {
    for (int i = 0; i < 50; i++) {
      try {
        // Of no known version: it is answered and changes nothing.
        pools()
            .submitToKey("warm-up-" + i, new ChangeProcessor(new byte[1]))
            .toCompletableFuture()
            .get(2, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (ExecutionException | TimeoutException e) {
        log.atDebug().addKeyValue("error", e.toString()).log("warm-up call failed");
        return; // a minority: the path is warm enough
      }
    }
  }

  private IMap<String, byte @Nullable []> pools() {
    return instance.getMap(MemberConfig.POOLS);
  }

  /** As {@link PoolStore#apply}. */
  CompletionStage<byte[]> apply(String limiter, byte[] request) {
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    try {
      // On the thread that brings the answer: another hop would cost more than what is done there.
      pools()
          .submitToKey(limiter, new ChangeProcessor(request))
          .whenCompleteAsync(
              (reply, e) -> {
                if (e == null) {
                  result.complete(reply);
                } else {
                  result.completeExceptionally(e);
                }
              },
              Runnable::run);
    } catch (RuntimeException e) { // it is being stopped
      result.completeExceptionally(e);
    }
    return result;
  }

  /** Returns what the replicas tell each other, by replica. */
  Map<String, byte[]> reports() {
    return instance.getReplicatedMap(MemberConfig.REPORTS);
  }

  MemberOwner owner() {
    return owner;
  }

  /** Returns where the member listens. */
  String address() {
    return address;
  }

  /** Returns false once Hazelcast has ended it, for whatever reason. */
  boolean isRunning() {
    return instance.getLifecycleService().isRunning();
  }

  /** Returns the addresses of all members that this one sees, its own included. */
  List<String> members() {
    return instance.getCluster().getMembers().stream().map(PoolMember::address).toList();
  }

  static String address(Member member) {
    return member.getAddress().getHost() + ":" + member.getAddress().getPort();
  }

  /** Hands over its data and leaves. */
  void shutdown() {
    instance.shutdown();
  }

  /** Leaves at once, with all that it keeps. */
  void terminate() {
    instance.getLifecycleService().terminate();
  }
}
