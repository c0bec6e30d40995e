// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The membership as observed by one replica; for display, not for decisions: {@link ReplicaLeases}
 * is exact at every moment.
 *
 * <p>Thread rule: immutable.
 *
 * @param ordinal the ordinal of this replica, or empty
 * @param identity the identity under which it holds or requests a Lease
 * @param acting whether it may act on its Lease
 * @param poolAllowed whether it may also use the pool of its generation
 * @param liveReplicas the largest number of held Leases during the last lease duration, at least 1
 * @param count the number of ordinals
 * @param taken the held Leases, by ordinal
 * @param released the identities that have released a Lease themselves, as far as Leases name them
 * @param problem why it may not act, or not use the pool; empty when it may do both
 */
public record ReplicaLeaseStatus(
    OptionalInt ordinal,
    String identity,
    boolean acting,
    boolean poolAllowed,
    int liveReplicas,
    int count,
    List<Taken> taken,
    Set<String> released,
    String problem) {

  public ReplicaLeaseStatus {
    taken = List.copyOf(taken);
    released = Set.copyOf(released);
  }

  static Map<String, String> replaced(
      Map<String, String> attributes, String key, UnaryOperator<String> value) {
    Map<String, String> all = new HashMap<>(attributes);
    all.computeIfPresent(key, (_, before) -> value.apply(before));
    return all;
  }

  /**
   * A held Lease.
   *
   * @param ordinal the ordinal
   * @param identity the holder: the name of the replica, an underscore, and a unique suffix
   * @param since when it was acquired, by the clock of that replica; null without a time
   * @param generation the generation of that replica; empty without one
   * @param pool whether that replica uses the pool
   * @param settled whether this replica has observed the holder for at least the settling time
   * @param addresses the addresses of that replica, by the key of {@link ReplicaLeases#announce}
   * @param attributes what else that replica publishes, by the key of {@link ReplicaLeases#publish}
   */
  public record Taken(
      int ordinal,
      String identity,
      @Nullable Instant since,
      String generation,
      boolean pool,
      boolean settled,
      Map<String, String> addresses,
      Map<String, String> attributes) {

    public Taken {
      addresses = Map.copyOf(addresses);
      attributes = Map.copyOf(attributes);
    }

    Taken settled(boolean is) {
      return new Taken(ordinal, identity, since, generation, pool, is, addresses, attributes);
    }

    /** Returns it with another value of an attribute, if it is set. */
    Taken with(String key, UnaryOperator<String> value) {
      return new Taken(
          ordinal,
          identity,
          since,
          generation,
          pool,
          settled,
          addresses,
          replaced(attributes, key, value));
    }

    /** Returns the name of the replica. */
    public String replica() {
      return ReplicaLeaseStatus.replica(identity);
    }
  }

  /** Returns the name of the replica that has an identity. */
  static String replica(String identity) {
    int end = identity.lastIndexOf('_');
    return end < 0 ? identity : identity.substring(0, end);
  }
}
