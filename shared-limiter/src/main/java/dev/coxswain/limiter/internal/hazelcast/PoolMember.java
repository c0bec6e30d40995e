// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.map.IMap;
import com.hazelcast.partition.PartitionService;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.budget.PoolStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A Hazelcast member that has joined a cluster, until it is shut down or terminated. A new one
 * shares no state with the last, and has another id as an owner of pools.
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

  /**
   * Starts a member, joins the cluster and makes the first calls, which load classes and tables.
   */
  public static PoolMember start(MemberOptions options, ReplicaView view, MemberOwner owner) {
    HazelcastInstance made = Hazelcast.newHazelcastInstance(MemberConfig.of(options, view));
    try {
      owner.joined(made.getCluster(), backups(made));
      made.getUserContext().put(PoolProcessor.OWNER, owner);
      PoolMember member = new PoolMember(made, owner);
      // A request of an unsupported version, which changes nothing.
      WarmUp.run(
          i -> member.apply("warm-up-" + i, new byte[1]),
          () -> member.members().size() >= MemberConfig.majority(view.liveReplicas()),
          WarmUp.PAUSE_NANOS);
      return member;
    } catch (RuntimeException | Error e) {
      made.getLifecycleService()
          .terminate(); // no other reference exists; the supervisor starts another member
      throw e;
    }
  }

  private IMap<String, byte @Nullable []> pools() {
    return instance.getMap(MemberConfig.POOLS);
  }

  /** Applies a request; see {@link PoolStore#apply}. */
  public CompletionStage<byte[]> apply(String limiter, byte[] request) {
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    try {
      // On the thread that receives the reply: the callback is shorter than a hop to another
      // thread.
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

  /** Returns the reports that the replicas exchange, by replica. */
  public Map<String, byte[]> reports() {
    return instance.getReplicatedMap(MemberConfig.REPORTS);
  }

  public MemberOwner owner() {
    return owner;
  }

  /** Returns the address at which the member listens. */
  public String address() {
    return address;
  }

  /** Returns false once Hazelcast has stopped the member, for any reason. */
  public boolean isRunning() {
    return instance.getLifecycleService().isRunning();
  }

  /**
   * Returns whether the member has joined and has no master. Hazelcast 5.7.0 drops the master when
   * the reply to a join request arrives while the member claims to be the master itself, as it does
   * after a network partition: it logs that it cannot, and does it. Such a member accepts no
   * partition table and no member list, and is alone half a minute later. No public API shows it.
   * Also true for a moment while Hazelcast merges two parts.
   */
  public boolean lacksMaster() {
    ClusterServiceImpl cluster = cluster(instance);
    return cluster.isJoined() && cluster.getMasterAddress() == null;
  }

  /** Returns Hazelcast's internal view of the cluster. */
  public static ClusterServiceImpl cluster(HazelcastInstance instance) {
    return ((HazelcastInstanceProxy) instance).getOriginal().node.getClusterService();
  }

  /**
   * Returns whether Hazelcast would send a change of an entry, by its key, to a backup: the partition table
   * names one that is a member. Without one it acknowledges the change at once, also when the configuration
   * of the map wants a backup. No public API shows it. Works as long as the process, also after the end of
   * the instance.
   */
  static Predicate<String> backups(HazelcastInstance instance) {
    PartitionService keys = instance.getPartitionService();
    Node node = ((HazelcastInstanceProxy) instance).getOriginal().node;
    InternalPartitionService table = node.getPartitionService();
    ClusterServiceImpl members = node.getClusterService();
    return key -> {
      int partition = keys.getPartition(key).getPartitionId();
      PartitionReplica backup = table.getPartition(partition, false).getReplica(1);
      return backup != null && members.getMember(backup.address(), backup.uuid()) != null;
    };
  }

  /** Returns the addresses of all members of this part of the cluster, its own included. */
  public List<String> members() {
    return instance.getCluster().getMembers().stream().map(PoolMember::address).toList();
  }

  public static String address(Member member) {
    return member.getAddress().getHost() + ":" + member.getAddress().getPort();
  }

  /** Migrates its data to the other members and leaves the cluster. */
  public void shutdown() {
    instance.shutdown();
  }

  /** Leaves the cluster at once; its data is lost unless a backup exists. */
  public void terminate() {
    instance.getLifecycleService().terminate();
  }
}
