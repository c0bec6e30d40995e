// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a replica knows of its seat and of the others; for people and for views, not for decisions:
 * those ask {@link ReplicaLeases}, which is exact at every moment.
 *
 * <p>Thread rule: immutable.
 *
 * @param seat the seat of this replica, or empty
 * @param identity under which it holds it, or looks for one
 * @param acting whether it may act on it
 * @param poolAllowed whether it may also use the pool of its generation
 * @param liveReplicas the largest number of seats that were seen to be held during the last lease
 *     duration, at least 1
 * @param count how many seats there are
 * @param taken who sits where, by seat
 * @param problem why it may not act, or not use the pool; empty when it may do both
 */
public record ReplicaLeaseStatus(
    OptionalInt seat,
    String identity,
    boolean acting,
    boolean poolAllowed,
    int liveReplicas,
    int count,
    List<Taken> taken,
    String problem) {

  public ReplicaLeaseStatus {
    taken = List.copyOf(taken);
  }

  /**
   * A seat that is taken.
   *
   * @param seat which
   * @param identity by whom: the name of the replica, an underscore, and what makes it unique
   * @param since when it was taken, by the clock of that replica; null when it does not say
   * @param generation the generation of that replica; empty when it does not say
   * @param pool whether that replica uses the pool
   * @param settled whether this replica has seen it sit there for long enough to count on it
   * @param addresses where it is reached, by what was announced with {@link ReplicaLeases#announce}
   */
  public record Taken(
      int seat,
      String identity,
      @Nullable Instant since,
      String generation,
      boolean pool,
      boolean settled,
      Map<String, String> addresses) {

    public Taken {
      addresses = Map.copyOf(addresses);
    }

    /** Returns the name of the replica. */
    public String replica() {
      int end = identity.lastIndexOf('_');
      return end < 0 ? identity : identity.substring(0, end);
    }
  }
}
