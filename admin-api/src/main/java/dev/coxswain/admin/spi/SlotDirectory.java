// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a host, each of which one replica owns at a time. A request of a {@code sharded}
 * controller belongs to the owner of its slot; a {@code leader} controller runs on the owner of the
 * slot of its name.
 *
 * <p>Thread rule: any thread. It is called on the admin API's event loop, so no method may block.
 */
public interface SlotDirectory {

  /** Returns the present state as this replica observes it; cheap. */
  View view();

  /**
   * Returns the slot of a request, from 0; -1 while this replica has not read the slot map.
   *
   * @param namespace empty for none
   */
  int slotOf(String namespace, String name);

  /** Returns the slot whose owner runs a {@code leader} controller; -1 as {@link #slotOf}. */
  default int slotOfController(String controller) {
    return slotOf("", controller);
  }

  /**
   * Sets the weight of this replica to 0, so that its slots move to the others, or back to its
   * configured weight. Idempotent.
   *
   * @return completes when the replica Lease has the new weight, before any slot has moved; fails
   *     when it was not stored, or when that is unknown
   */
  Future<Void> drain(boolean on);

  /** Returns why this replica does not accept the slot map; empty when it does, or has none. */
  String rejected();

  /**
   * Deletes the slot map, after which the replicas make another one. Idempotent.
   *
   * @return fails when it was not deleted, or that is unknown
   */
  Future<Void> deleteMap();

  /** The kinds of a slot. */
  enum SlotState {
    /** It has no owner. */
    FREE("free"),
    /** One replica owns it. */
    OWNED("owned"),
    /** Its owner hands it over to the target. */
    DRAINING("draining");

    private final String label;

    SlotState(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /** The right of this replica to own slots. */
  enum Phase {
    /** It has no replica Lease yet. */
    JOINING("joining"),
    /** It holds its Lease. */
    HOLDING("holding"),
    /** Its write deadline has passed; its slots are closed until the next renewal. */
    SUSPENDED("suspended"),
    /** Its Lease is lost; it needs another identity. */
    LOST("lost"),
    /** It hands its slots over and ends. */
    LEAVING("leaving");

    private final String label;

    Phase(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /** The state of a slot that is not closed on this replica. */
  enum Stage {
    /** This replica is the target of a move; no attempts start. */
    INCOMING("incoming"),
    /** Attempts start. */
    OPEN("open"),
    /** Attempts start until the target is warm. */
    PREPARING("preparing"),
    /** No attempts start; running ones end before the slot is handed over. */
    CLOSING("closing");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /**
   * One run of a replica in the slot map.
   *
   * @param replica the name of the replica, as in {@link ControllerDirectory#replicas}
   * @param identity the identity, which no other run of the replica has
   */
  record Owner(String replica, String identity) {}

  /**
   * One slot.
   *
   * <p>Thread rule: immutable.
   *
   * @param epoch a number that each change of the owner increments
   * @param owner null for a free slot
   * @param target the next owner of a draining slot, else null
   */
  record Slot(long epoch, @Nullable Owner owner, @Nullable Owner target) {

    /** Returns the state. */
    public SlotState state() {
      if (owner == null) {
        return SlotState.FREE;
      }
      return target == null ? SlotState.OWNED : SlotState.DRAINING;
    }
  }

  /**
   * A replica as its Lease describes it.
   *
   * <p>Thread rule: immutable.
   *
   * @param replica its name
   * @param identity the identity of its present run
   * @param weight its share of the slots relative to others; 0 for none
   * @param drained whether its weight is 0 because of {@link SlotDirectory#drain}
   * @param leaving whether it hands its slots over and ends
   */
  record Share(String replica, String identity, int weight, boolean drained, boolean leaving) {

    /** Returns whether the replica may get slots. */
    public boolean eligible() {
      return weight > 0 && !drained && !leaving;
    }
  }

  /**
   * This replica.
   *
   * <p>Thread rule: immutable.
   *
   * @param stages the slots that are not closed here, by number
   * @param problem why all slots are closed, in a few sentences; empty for no problem
   */
  record Own(Phase phase, Map<Integer, Stage> stages, String problem) {

    public Own {
      stages = Map.copyOf(stages);
    }
  }

  /**
   * The slot map and what this replica makes of it. The copies of unmodifiable collections cost
   * nothing, so a host should keep them.
   *
   * <p>Thread rule: immutable.
   *
   * @param uid the uid of the slot map; empty while it has not been read
   * @param resourceVersion the version of the slot map; empty while it has not been read
   * @param function the name of the slot function
   * @param slots the slots by number; empty while the slot map has not been read
   * @param replicas the live replicas, this one included when it holds a replica Lease
   */
  record View(
      String uid,
      String resourceVersion,
      String function,
      List<Slot> slots,
      List<Share> replicas,
      Own own) {

    public View {
      slots = List.copyOf(slots);
      replicas = List.copyOf(replicas);
    }

    /** Returns a slot; empty for a number that the slot map does not have. */
    public Optional<Slot> slot(int number) {
      return number < 0 || number >= slots.size()
          ? Optional.empty()
          : Optional.of(slots.get(number));
    }

    /** Returns whether a run of a replica has not ended. */
    public boolean isLive(Owner owner) {
      return replicas.stream()
          .anyMatch(share ->
              share.replica().equals(owner.replica()) && share.identity().equals(owner.identity()));
    }

    /** Returns the share of a replica; empty when it is not live. */
    public Optional<Share> share(String replica) {
      return replicas.stream().filter(share -> share.replica().equals(replica)).findFirst();
    }
  }
}
