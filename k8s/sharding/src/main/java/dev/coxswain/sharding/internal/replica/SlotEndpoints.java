// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.view.SlotView;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses at which the sources of controllers receive calls, of this replica and of the owners
 * of slots. They are an attribute of the replica Lease: one a line, with a name before it.
 *
 * <p>Thread rule: any thread.
 */
final class SlotEndpoints {

  private static final Logger LOG = LoggerFactory.getLogger(SlotEndpoints.class);
  private static final String KEY = "endpoints";

  /** The maximum length of the text in a Lease; further addresses are not announced. */
  private static final int MAX_LENGTH = 32 * 1024;

  private final ReplicaLeases leases;
  private final Supplier<SlotView> view;
  private final Map<String, String> own = new TreeMap<>();

  SlotEndpoints(ReplicaLeases leases, Supplier<SlotView> view) {
    this.leases = leases;
    this.view = view;
    leases.publish(KEY, ""); // the last holder of the Lease had others
  }

  /** Returns the name of the replica that owns a slot, if it is another one that holds its Lease. */
  Optional<String> otherOwner(int slot) {
    return owner(slot).map(ReplicaLeaseStatus.Taken::replica);
  }

  /** Returns the address that this owner has announced under a name. */
  Optional<String> otherEndpoint(int slot, String name) {
    return owner(slot).flatMap(taken -> find(taken.attributes().getOrDefault(KEY, ""), name));
  }

  private Optional<ReplicaLeaseStatus.Taken> owner(int slot) {
    SlotView now = view.get();
    StoredSlotMap map = now.map().orElse(null);
    ReplicaLeases.LeaseList list = leases.lastList().orElse(null);
    if (map == null || list == null || slot >= map.map().slots()) {
      return Optional.empty();
    }
    String owner = map.map().entry(slot).owner();
    return owner.isEmpty() || owner.equals(leases.own().identity())
        ? Optional.empty()
        : list.taken().stream().filter(taken -> taken.identity().equals(owner)).findFirst();
  }

  private static Optional<String> find(String text, String name) {
    if (text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    return text.lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .findFirst();
  }

  /** Announces an address of this replica, or withdraws it when it is empty. */
  synchronized void announce(String name, String address) {
    String before = own.put(name, address);
    if (address.isEmpty()) {
      own.remove(name);
    }
    String text =
        own.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining("\n"));
    if (text.length() > MAX_LENGTH) {
      own.remove(name);
      LOG.atWarn()
          .addKeyValue("endpoint", name)
          .log("address of a source not announced, the replica Lease has no space for more");
    } else if (!address.equals(before)) {
      leases.publish(KEY, text);
      leases.wake();
    }
  }
}
