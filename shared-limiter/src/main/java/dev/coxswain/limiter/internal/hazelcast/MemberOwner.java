// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.spi.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Hazelcast member as the owner of pools.
 *
 * <p>Thread rule: any thread.
 */
public final class MemberOwner implements PoolOwner {
  private static final long RECENT_NANOS = 2_000_000_000;

  private final UUID id = UUID.randomUUID();
  private final ReplicaView view;
  private final Clock clock;
  private volatile @Nullable Joined joined;
  private volatile Listed listed = new Listed(Set.of(), List.of());

  /**
   * The addresses of the members in a set. Hazelcast never modifies the set and replaces it on each
   * change, so an identical set means that the addresses are current.
   */
  private record Listed(Set<Member> members, List<String> addresses) {}

  /**
   * The cluster after the join. Not the instance: that throws when it has ended, and then too the status is
   * read.
   *
   * @param hasBackup whether a change of an entry is sent to a backup, by the key
   */
  private record Joined(Cluster cluster, Predicate<String> hasBackup) {}

  /** The time of the last change of each pool on this member. */
  private final Map<String, Long> changedAt = new ConcurrentHashMap<>();

  /** The time at which a backup of each pool was last stored on this member. */
  private final Map<String, Long> backedUpAt = new ConcurrentHashMap<>();

  public MemberOwner(ReplicaView view, Clock clock) {
    this.view = view;
    this.clock = clock;
  }

  /** Sets the cluster after the join; without it there is no majority. */
  void joined(Cluster cluster, Predicate<String> hasBackup) {
    joined = new Joined(cluster, hasBackup);
  }

  /** Returns the number of members in this part of the cluster. */
  public int members() {
    Joined now = joined;
    return now == null ? 0 : now.cluster.getMembers().size();
  }

  @Override
  public void stored(String limiter, boolean backup) {
    (backup ? backedUpAt : changedAt).put(limiter, clock.nanos());
  }

  /**
   * Returns the pools that were changed, or stored as backups, here during the last two seconds.
   */
  public Set<String> recently(boolean backup) {
    long now = clock.nanos();
    return (backup ? backedUpAt : changedAt)
        .entrySet().stream()
            .filter(entry -> now - entry.getValue() < RECENT_NANOS)
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
  }

  @Override
  public long idHigh() {
    return id.getMostSignificantBits();
  }

  @Override
  public long idLow() {
    return id.getLeastSignificantBits();
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public boolean hasMajority(int liveReplicas) {
    Joined now = joined;
    return now != null
        && MemberConfig.isMajority(addresses(now.cluster.getMembers()), view, liveReplicas);
  }

  @Override
  public boolean hasBackup(String limiter, int liveReplicas) {
    Joined now = joined;
    return now != null
        && (Math.max(liveReplicas, view.liveReplicas()) <= 1 || now.hasBackup.test(limiter));
  }

  @SuppressWarnings(
      "ReferenceEquality") // identity is intended: it is cheap, and the set is immutable
  private List<String> addresses(Set<Member> members) {
    Listed known = listed;
    if (known.members != members) {
      known = new Listed(members, members.stream().map(PoolMember::address).toList());
      listed = known;
    }
    return known.addresses;
  }
}
