// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.view.SlotView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The attributes about slots that replicas publish in their Leases: their weight, the map that they
 * follow, for which incoming slots they are ready, or still load, and the ownership of their
 * controllers.
 *
 * <p>Thread rule: confined to the thread of the slots, except {@link #drain}.
 */
final class SlotAttributes {

  private static final String WEIGHT = "slot-weight";
  private static final String DRAINED = "slot-drained";
  private static final String LEAVING = "leaving";
  private static final String VERSION = "version";
  private static final String MAP = "slot-map";
  private static final String WARM = "slot-warm";
  private static final String LOADING = "slot-loading";

  /** The key of the controllers with their ownership. */
  static final String CONTROLLERS = "controllers";

  private final ReplicaLeases leases;
  private final Map<String, String> published = new HashMap<>();

  SlotAttributes(ReplicaLeases leases) {
    this.leases = leases;
  }

  /** Publishes everything before the Lease is acquired: its last holder had values of its own. */
  void begin(int weight, String version) {
    weigh(weight, false);
    publish(LEAVING, "false");
    publish(VERSION, version);
    publish(MAP, "");
    publish(WARM, "");
    publish(LOADING, "");
    publish(CONTROLLERS, "");
  }

  /** Publishes a weight of 0, or the usual one; any thread. */
  void drain(boolean on, int usual) {
    weigh(on ? 0 : usual, on);
    leases.wake();
  }

  private void weigh(int weight, boolean drained) {
    leases.publish(WEIGHT, Integer.toString(weight));
    leases.publish(DRAINED, Boolean.toString(drained));
  }

  /** Returns whether the attributes are those of a drained replica. */
  static boolean isDrained(Map<String, String> attributes) {
    return Boolean.parseBoolean(attributes.get(DRAINED));
  }

  void leaving() {
    publish(LEAVING, "true");
  }

  /** Publishes the controllers that this replica runs or is about to run. */
  void controllers(String table) {
    publish(CONTROLLERS, table);
  }

  void follow(String uid) {
    publish(MAP, uid);
  }

  /** Publishes the slots that are loaded and not owned yet, with the epoch of their owner. */
  void warm(Map<Integer, Long> epochs) {
    publish(WARM, text(epochs));
  }

  /** Publishes the slots that take a while to load, with the epoch of their owner. */
  void loading(Map<Integer, Long> epochs) {
    publish(LOADING, text(epochs));
  }

  private static String text(Map<Integer, Long> epochs) {
    return new TreeMap<>(epochs)
        .entrySet().stream()
            .map(entry -> entry.getKey() + ":" + entry.getValue())
            .collect(Collectors.joining(","));
  }

  /** Stores a value with the next renewal, which is made at once if it is another one. */
  private void publish(String key, String value) {
    String before = published.put(key, value);
    if (!value.equals(before)) {
      leases.publish(key, value);
      if (before != null) {
        leases.wake();
      }
    }
  }

  /** Returns the map in a stored Lease; empty for none. */
  static String followedBy(Map<String, String> attributes) {
    return attributes.getOrDefault(MAP, "");
  }

  /** Returns the shares of the replicas in a list. */
  static List<SlotView.Share> shares(ReplicaLeases.LeaseList list) {
    return list.taken().stream()
        .map(taken -> {
          SlotReplicas.Replica replica = replica(taken, list);
          return new SlotView.Share(
              replica.identity(),
              replica.weight(),
              isDrained(taken.attributes()),
              replica.leaving());
        })
        .toList();
  }

  /** Returns a list of the Leases as the planner needs it. */
  static SlotReplicas replicas(ReplicaLeases.LeaseList list) {
    return new SlotReplicas(
        list.taken().stream().map(taken -> replica(taken, list)).toList(),
        list.lastHolders(),
        list.sent(),
        list.received());
  }

  private static SlotReplicas.Replica replica(
      ReplicaLeaseStatus.Taken taken, ReplicaLeases.LeaseList list) {
    Map<String, String> attributes = taken.attributes();
    return new SlotReplicas.Replica(
        taken.identity(),
        taken.ordinal(),
        number(attributes.getOrDefault(WEIGHT, "0")),
        attributes.getOrDefault(LEAVING, "").equals("true"),
        attributes.getOrDefault(VERSION, ""),
        followedBy(attributes),
        list.silent().contains(taken.identity()));
  }

  /**
   * Returns the slots that this identity hands over and whose target has loaded them.
   *
   * @param attributes those of a replica as last read
   */
  static Set<Integer> warm(
      Function<String, Map<String, String>> attributes, SlotMap map, String identity) {
    return reported(WARM, attributes, map, identity);
  }

  /** Returns the slots that this identity hands over and whose target still loads them. */
  static Set<Integer> loading(
      Function<String, Map<String, String>> attributes, SlotMap map, String identity) {
    return reported(LOADING, attributes, map, identity);
  }

  private static Set<Integer> reported(
      String key, Function<String, Map<String, String>> attributes, SlotMap map, String identity) {
    Map<String, Set<String>> byTarget = new HashMap<>();
    Set<Integer> found = new HashSet<>();
    for (int slot = 0; slot < map.slots(); slot++) {
      SlotEntry entry = map.entry(slot);
      if (entry.isOwnedBy(identity) && entry.isDraining()) {
        Set<String> ready =
            byTarget.computeIfAbsent(
                entry.target(),
                target -> Set.of(attributes.apply(target).getOrDefault(key, "").split(",", -1)));
        if (ready.contains(slot + ":" + entry.epoch())) {
          found.add(slot);
        }
      }
    }
    return found;
  }

  private static int number(String text) {
    try {
      return Math.max(0, Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return 0; // written by hand: it gets no slots
    }
  }
}
