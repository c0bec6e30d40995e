// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.sharding.internal.replica.SlotComponent;
import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.view.SlotOwners;
import dev.coxswain.sharding.internal.view.SlotView;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The slots as seen by the admin API. */
final class AdminSlots implements SlotDirectory {

  private final SlotComponent slots;
  private volatile Converted last = convert(SlotView.NONE, null);

  /** A view and what it was converted from. */
  record Converted(SlotView from, @Nullable StoredSlotMap map, View view) {}

  AdminSlots(SlotComponent slots) {
    this.slots = slots;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a view is replaced and never changed
  public View view() {
    SlotView now = slots.view();
    Converted known = last;
    if (known.from() != now) {
      known = convert(now, known);
      last = known;
    }
    return known.view();
  }

  @Override
  public int slotOf(String namespace, String name) {
    return map(slots.view())
        .map(StoredSlotMap::map)
        .map(map -> map.division().slot(namespace, name, map.slots()))
        .orElse(-1);
  }

  @Override
  public Future<Void> drain(boolean on) {
    return slots.drain(on);
  }

  @Override
  public String rejected() {
    return slots.view().rejected();
  }

  @Override
  public Future<Void> deleteMap() {
    return slots.deleteMap();
  }

  /** Returns the newest map; a deleted one is still followed. */
  private static Optional<StoredSlotMap> map(SlotView view) {
    return view.map().or(() -> view.own().followed().last());
  }

  /** A view is new with each pass of the slots, and mostly says the same: then its parts are kept. */
  @SuppressWarnings("ReferenceEquality") // a state is replaced and never changed
  static Converted convert(SlotView from, @Nullable Converted before) {
    StoredSlotMap stored = map(from).orElse(null);
    Own own =
        before != null
                && before.from().own() == from.own()
                && before.from().problem().equals(from.problem())
            ? before.view().own()
            : own(from);
    View view =
        new View(
            stored == null ? "" : stored.uid(),
            stored == null ? "" : Long.toString(stored.version()),
            stored == null ? "" : stored.map().division().function(),
            before != null && isSame(before.map(), stored) ? before.view().slots() : slots(stored),
            from.shares().stream()
                .map(share ->
                    new Share(
                        SlotOwners.replica(share.identity()),
                        share.identity(),
                        share.weight(),
                        share.drained(),
                        share.leaving()))
                .toList(),
            own);
    return new Converted(from, stored, view);
  }

  private static boolean isSame(@Nullable StoredSlotMap one, @Nullable StoredSlotMap other) {
    return one != null
        && other != null
        && one.version() == other.version()
        && one.uid().equals(other.uid());
  }

  private static List<Slot> slots(@Nullable StoredSlotMap stored) {
    Map<String, Owner> owners = new HashMap<>();
    return stored == null
        ? List.of()
        : stored.map().entries().stream().map(entry -> slot(entry, owners)).toList();
  }

  private static Slot slot(SlotEntry entry, Map<String, Owner> owners) {
    return new Slot(entry.epoch(), owner(entry.owner(), owners), owner(entry.target(), owners));
  }

  private static @Nullable Owner owner(String identity, Map<String, Owner> owners) {
    return identity.isEmpty()
        ? null
        : owners.computeIfAbsent(identity, same -> new Owner(SlotOwners.replica(same), same));
  }

  private static Own own(SlotView from) {
    Map<Integer, Stage> stages = new HashMap<>();
    from.own().held().forEach((slot, held) -> stages.put(slot, stage(held.stage())));
    return new Own(phase(from.own().phase()), stages, from.problem());
  }

  private static Stage stage(ReplicaSlots.Stage stage) {
    return switch (stage) {
      case INCOMING -> Stage.INCOMING;
      case OPEN -> Stage.OPEN;
      case PREPARING -> Stage.PREPARING;
      case CLOSING -> Stage.CLOSING;
    };
  }

  private static Phase phase(ReplicaPhase phase) {
    return switch (phase) {
      case JOINING -> Phase.JOINING;
      case HOLDING -> Phase.HOLDING;
      case SUSPENDED -> Phase.SUSPENDED;
      case LOST -> Phase.LOST;
      case LEAVING, ENDED -> Phase.LEAVING;
    };
  }
}
