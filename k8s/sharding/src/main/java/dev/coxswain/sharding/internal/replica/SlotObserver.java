// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.view.SlotView;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The Leases and maps that this replica has observed: the replicas that can take slots, the own
 * Lease, and the map that it announces.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class SlotObserver {
  /** By then all replicas have listed, if they list at the usual interval. */
  private static final Duration FENCED = Duration.ofSeconds(1);

  private final ReplicaMembership membership;
  private SlotObservation observed = SlotObservation.NONE;
  private ReplicaLeases.@Nullable LeaseList list;
  private @Nullable SlotReplicas replicas;
  private Map<String, Map<String, String>> read = Map.of();

  /** The map in the own Lease, and since when it is known to be there. */
  private String announcedBy = "";

  private String announced = "";
  private long announcedAt;

  /** How many Leases this replica had ended, and when it had ended the last one. */
  private long fenced;

  private long fencedAt;

  SlotObserver(ReplicaMembership membership) {
    this.membership = membership;
  }

  /** Observes the last map and the last list of Leases. */
  void observe(Optional<StoredSlotMap> map, long now) {
    map.ifPresent(stored -> observed = observed.read(stored, now));
    if (membership.leases().fenced() != fenced) {
      fenced = membership.leases().fenced();
      fencedAt = now;
    }
    read = membership.leases().readSinceList(); // before the list, which may replace them
    ReplicaLeases.LeaseList last = membership.leases().lastList().orElse(null);
    if (last == null || (list != null && list.sent() == last.sent())) {
      return;
    }
    list = last;
    SlotReplicas next = SlotAttributes.replicas(last);
    replicas = next;
    Set<String> owners =
        map.map(stored -> Set.<String>copyOf(stored.map().replicas())).orElse(Set.of());
    observed =
        observed.listed(next, owners, membership.slotTimes(), membership.listGap().toNanos());
  }

  /** Returns whether this replica has just ended the Lease of another one; the others list later. */
  boolean hasFenced(long now) {
    Duration period = membership.leases().listPeriod();
    return fenced > 0 && now - fencedAt < Math.max(FENCED.toNanos(), period.toNanos());
  }

  SlotObservation observed() {
    return observed;
  }

  /** Returns the replicas of the last list; null before the first one. */
  @Nullable SlotReplicas replicas() {
    return replicas;
  }

  List<SlotView.Share> shares() {
    ReplicaLeases.LeaseList last = list;
    return last == null ? List.of() : SlotAttributes.shares(last);
  }

  /** Returns the own Lease, with the map in it. */
  SlotContext.Lease lease(ReplicaLeases.OwnLease own, long now) {
    String stored = SlotAttributes.followedBy(own.attributes());
    if (!own.identity().equals(announcedBy) || !stored.equals(announced)) {
      announcedBy = own.identity();
      announced = stored;
      announcedAt = now; // the renewal was answered before that
    }
    return new SlotContext.Lease(
        own.identity(), own.held(), own.writeDeadline(), announced, announcedAt);
  }

  /** Returns the replicas that take no slots: those that have ended or are leaving. */
  Set<String> unavailable() {
    Set<String> all = new HashSet<>(observed.ended());
    SlotReplicas last = replicas;
    if (last != null) {
      last.live().stream()
          .filter(SlotReplicas.Replica::leaving)
          .forEach(replica -> all.add(replica.identity()));
    }
    return all;
  }

  /** Returns the slots that their targets have loaded, of those that an identity hands over. */
  Set<Integer> warm(Optional<StoredSlotMap> map, String identity) {
    ReplicaLeases.LeaseList last = list;
    return last == null || map.isEmpty()
        ? Set.of()
        : SlotAttributes.warm(this::attributes, map.get().map(), identity);
  }

  /** Returns the slots that their targets still load, of those that an identity hands over. */
  Set<Integer> loading(Optional<StoredSlotMap> map, String identity) {
    ReplicaLeases.LeaseList last = list;
    return last == null || map.isEmpty()
        ? Set.of()
        : SlotAttributes.loading(this::attributes, map.get().map(), identity);
  }

  /** Returns the attributes of a replica as last read; empty for none. */
  private Map<String, String> attributes(String identity) {
    Map<String, String> since = read.get(identity);
    ReplicaLeases.LeaseList last = list;
    return since != null || last == null
        ? Objects.requireNonNullElse(since, Map.of())
        : last.attributes(identity);
  }

  /**
   * Lets the Leases be read of those to which this replica hands slots over, and all be listed when the map names one that
   * has joined since: callbacks are sent to the address in its Lease.
   */
  void await(Optional<StoredSlotMap> map, String identity) {
    SlotReplicas last = replicas;
    if (map.isEmpty() || last == null) {
      return;
    }
    Set<String> awaited = new HashSet<>(map.get().map().replicas());
    last.live().forEach(replica -> awaited.remove(replica.identity()));
    awaited.removeAll(observed.ended());
    for (SlotEntry entry : map.get().map().entries()) {
      if (entry.isOwnedBy(identity) && entry.isDraining()) {
        awaited.add(entry.target());
      }
    }
    membership.leases().await(awaited);
  }

  /** Returns whether a list that was requested after a time has no other replica to take slots. */
  boolean isAlone(String identity, long since) {
    SlotReplicas last = replicas;
    return last != null
        && last.sent() - since >= 0 // an earlier list may lack one that has joined
        && last.live().stream()
            .noneMatch(replica ->
                !replica.identity().equals(identity) && !replica.leaving() && replica.weight() > 0);
  }

  /** Returns the ordinal of a live replica, or -1. */
  int ordinal(String identity) {
    SlotReplicas last = replicas;
    return last == null ? -1 : last.find(identity).map(SlotReplicas.Replica::ordinal).orElse(-1);
  }
}
