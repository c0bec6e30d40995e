// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotAction.Open;
import dev.coxswain.sharding.internal.slot.SlotChange.Assign;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One replica, {@code x}, and what its steps depend on. Times are in seconds. */
abstract class ReplicaSlotsFixture {

  static final SlotTimes TIMES = new SlotTimes(15, 5, 4, 1, 0);
  static final MoveTimes MOVES = new MoveTimes(10, 60, 10, 10, 30, 20);

  long now = 100;
  long version = 1;
  String uid = "u";
  SlotMap map =
      SlotMap.initial(SlotDivision.KEY, 2, 7).with(List.of(new Assign(0, "x"), new Assign(1, "y")));
  boolean mapMissing;
  String problem = "";
  String identity = "x";
  boolean held = true;
  long deadline = 1000;
  String announced = "";
  long announcedAt;
  int attempts;
  int unanswered;
  long lastUnanswered;
  Set<String> unavailable = Set.of();
  Set<Integer> warm = Set.of();
  boolean leaving;
  long mapSince;
  ReplicaSlots slots = ReplicaSlots.NONE;

  final SlotActivity activity =
      new SlotActivity() {
        @Override
        public int attempts(int slot) {
          return slot == 0 ? attempts : 0;
        }

        @Override
        public int unanswered(int slot) {
          return slot == 0 ? unanswered : 0;
        }

        @Override
        public long lastUnanswered(int slot) {
          return lastUnanswered;
        }
      };

  StoredSlotMap stored() {
    return new StoredSlotMap(uid, version, map, now);
  }

  SlotContext.Lease lease() {
    return new SlotContext.Lease(identity, held, deadline, announced, announcedAt);
  }

  List<SlotAction> step() {
    return step(MOVES);
  }

  List<SlotAction> step(MoveTimes moves) {
    ReplicaSlots.Step step =
        slots.step(
            new SlotContext(
                lease(),
                mapMissing ? Optional.empty() : Optional.of(stored()),
                problem,
                activity,
                unavailable,
                warm,
                Set.of(),
                leaving,
                mapSince),
            TIMES,
            moves,
            now);
    slots = step.next();
    return step.actions();
  }

  void change(SlotChange change) {
    map = map.with(List.of(change));
    version++;
  }

  void open() {
    announced = "u";
    announcedAt = now;
    assertThat(step()).containsExactly(new Open(0, 8));
  }

  boolean mayStart() {
    return slots.mayStart(0, lease(), TIMES, now);
  }

  boolean mayWrite() {
    return slots.mayWrite("x", 0, 8, lease(), TIMES, now);
  }
}
