// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import java.util.Objects;

/**
 * What holds in every state. I4 is examined at each opening of a slot, in {@link Driver}, and I5 at
 * each hand-over, in {@link Planning}. I3 needs no check: no replica has to read the map to stop.
 * I6 belongs to the caches; here, each slot is opened by an action of its own, which is when they
 * list.
 */
final class Invariants {

  private final SearchOptions options;
  private final Driver driver;

  Invariants(SearchOptions options) {
    this.options = options;
    this.driver = new Driver(options);
  }

  /** I1, in one replica: the newest epoch of a slot belongs to its last owner. */
  String of(ModelReplica r) {
    String name = r.lease().identity();
    for (int slot = 0; slot < options.slots(); slot++) {
      ModelReplica.Write write = r.writes().get(slot);
      if (!write.equals(ModelReplica.Write.NONE) && write.epoch() < Names.EPOCH) {
        return "I1: a write of replica "
            + name.charAt(0)
            + " in slot "
            + slot
            + " may still have an effect, and the slot has another owner";
      }
      ModelReplica.Attempt attempt = r.attempts().get(slot);
      if (driver.mayWrite(r, slot) && attempt.epoch() < Names.EPOCH) {
        return "I1: an attempt of "
            + attempt.identity()
            + " may write in slot "
            + slot
            + ", which has another owner";
      }
      if (driver.mayStart(r, slot)
          && Objects.requireNonNull(r.slots().held().get(slot)).epoch() < Names.EPOCH) {
        return "I1: "
            + name
            + " may start an attempt in slot "
            + slot
            + ", which has another owner";
      }
    }
    return "";
  }

  /** I2: an identity that has ended does not act. */
  static String of(ModelServer s, ModelReplica r, int i) {
    return s.leases().get(i).last().equals(Names.present(i)) && acts(r)
        ? "I2: " + Names.present(i) + " has ended and may act"
        : "";
  }

  /** I5: the slots of an owner that may still act are not taken. */
  static String taken(String owner, ModelReplica r) {
    return r.lease().identity().equals(owner) && acts(r)
        ? "I5: slots of " + owner + " are taken, and it may act"
        : "";
  }

  private static boolean acts(ModelReplica r) {
    return Driver.mayAct(r) && r.slots().phase() != ReplicaPhase.ENDED;
  }
}
