// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import com.hazelcast.map.IMap;
import dev.coxswain.limiter.MemberOptions;
import dev.coxswain.limiter.ReplicaView;
import dev.coxswain.limiter.internal.budget.PoolStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One Hazelcast member that has joined, until it is shut down or terminated. A new one takes
 * nothing over from the last, not even its name as an owner of pools.
 *
 * <p>Thread rule: any thread; {@link #start}, {@link #shutdown} and {@link #terminate} block.
 */
public final class PoolMember {
  private final String address;
  private final HazelcastInstance instance;
  private final MemberOwner owner;

  private PoolMember(HazelcastInstance instance, MemberOwner owner) {
    this.instance = instance;
    this.owner = owner;
    this.address = address(instance.getCluster().getLocalMember());
  }

  /** Starts a member, lets it join and makes the first calls, which load classes and tables. */
  public static PoolMember start(MemberOptions options, ReplicaView view, MemberOwner owner) {
    HazelcastInstance made = Hazelcast.newHazelcastInstance(MemberConfig.of(options, view));
    try {
      owner.joined(made.getCluster());
      made.getUserContext().put(ChangeProcessor.OWNER, owner);
      PoolMember member = new PoolMember(made, owner);
      // Of no known version: it is answered and changes nothing.
      WarmUp.run(
          i -> member.apply("warm-up-" + i, new byte[1]),
          () -> member.members().size() >= MemberConfig.majority(view.liveReplicas()),
          WarmUp.PAUSE_NANOS);
      return member;
    } catch (RuntimeException | Error e) {
      made.getLifecycleService().terminate(); // nobody else has it, and another one is started
      throw e;
    }
  }

  private IMap<String, byte @Nullable []> pools() {
    return instance.getMap(MemberConfig.POOLS);
  }

  /** As {@link PoolStore#apply}. */
  public CompletionStage<byte[]> apply(String limiter, byte[] request) {
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
  public Map<String, byte[]> reports() {
    return instance.getReplicatedMap(MemberConfig.REPORTS);
  }

  public MemberOwner owner() {
    return owner;
  }

  /** Returns where the member listens. */
  public String address() {
    return address;
  }

  /** Returns false once Hazelcast has ended it, for whatever reason. */
  public boolean isRunning() {
    return instance.getLifecycleService().isRunning();
  }

  /**
   * Returns whether it counts as joined and knows no master. Hazelcast 5.7.0 forgets the master
   * when the answer to a request to join comes while the member claims to be the master itself, as
   * it does when a cut heals: it warns that it cannot, and does it. From then on the member takes
   * no partition table and no list of members from anybody, and is alone half a minute later.
   * Nothing public shows it. True for a moment also while Hazelcast merges two parts.
   */
  public boolean lacksMaster() {
    ClusterServiceImpl cluster = cluster(instance);
    return cluster.isJoined() && cluster.getMasterAddress() == null;
  }

  /** Returns what Hazelcast itself knows of the cluster. */
  public static ClusterServiceImpl cluster(HazelcastInstance instance) {
    return ((HazelcastInstanceProxy) instance).getOriginal().node.getClusterService();
  }

  /** Returns the addresses of all members that this one sees, its own included. */
  public List<String> members() {
    return instance.getCluster().getMembers().stream().map(PoolMember::address).toList();
  }

  public static String address(Member member) {
    return member.getAddress().getHost() + ":" + member.getAddress().getPort();
  }

  /** Hands over its data and leaves. */
  public void shutdown() {
    instance.shutdown();
  }

  /** Leaves at once, with all that it keeps. */
  public void terminate() {
    instance.getLifecycleService().terminate();
  }
}
