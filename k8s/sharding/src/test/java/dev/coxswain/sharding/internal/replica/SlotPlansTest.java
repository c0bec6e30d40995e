// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.SlotReplicas.Replica;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SlotPlansTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final int CLOSE = 30;
  private static final SlotTimes TIMES =
      new SlotTimes(15 * SECOND, 5 * SECOND, 4 * SECOND, SECOND, 0);
  private static final MoveTimes MOVES =
      new MoveTimes(
          10 * SECOND, 60 * SECOND, 10 * SECOND, 10 * SECOND, CLOSE * SECOND, 20 * SECOND);

  private final SlotPlans plans = new SlotPlans(TIMES, MOVES);
  private final List<Replica> live = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private SlotObservation observed = SlotObservation.NONE;
  private SlotMap map = SlotMap.initial(SlotDivision.KEY, 64, 7);
  private long version;
  private long now = 1_000 * SECOND;

  /** Four move at a time from one replica; those whose attempts do not end are not always these. */
  @Test
  void slotsThatTheirOwnerCannotHandOver_doNotKeepTheOthersFromMoving() {
    live.add(new Replica("a", 0, 100, false, "1", ""));
    live.add(new Replica("b", 1, 100, false, "1", ""));
    run(60, Set.of());
    drain("a");
    Set<Integer> stuck = new TreeSet<>();
    for (int second = 0; stuck.isEmpty() && second < 60; second++) {
      now += SECOND;
      due().forEach(change -> stuck.add(change.slot()));
    }
    assertThat(stuck).as("the first ones to move").hasSize(4);

    run(CLOSE + 60, stuck);

    Set<Integer> left = new TreeSet<>();
    for (int slot = 0; slot < map.slots(); slot++) {
      if (map.entry(slot).isOwnedBy("a")) {
        left.add(slot);
      }
    }
    assertThat(left).isEqualTo(stuck);
    run(20 * CLOSE, Set.of());
    assertThat(map.replicas()).as("tried again, and their attempts have ended").containsOnly("b");
  }

  /** What is closed starts nothing: a slot that was kept is not closed again and again. */
  @Test
  void aSlotThatItsOwnerKept_isOpenMostOfTheTime() {
    live.add(new Replica("a", 0, 100, false, "1", ""));
    live.add(new Replica("b", 1, 100, false, "1", ""));
    run(60, Set.of());
    drain("a");
    Set<Integer> all = new TreeSet<>();
    for (int slot = 0; slot < map.slots(); slot++) {
      all.add(slot);
    }

    int closed = 0;
    int slot = -1;
    for (int second = 0; second < 3_600; second++) {
      run(1, all);
      for (int i = 0; slot < 0 && i < map.slots(); i++) {
        slot = map.entry(i).isDraining() ? i : -1;
      }
      closed += slot >= 0 && map.entry(slot).isDraining() ? 1 : 0;
    }
    assertThat(closed).as("seconds of an hour in which one was closed").isBetween(1, 400);
  }

  /** A target that has ended is no sign of attempts that do not end. */
  @Test
  void aSlotThatItsOwnerKept_becauseItsTargetHasEnded_movesAtOnce() {
    live.add(new Replica("a", 0, 100, false, "1", ""));
    live.add(new Replica("b", 1, 100, false, "1", ""));
    live.add(new Replica("c", 2, 100, false, "1", ""));
    run(60, Set.of());
    drain("a");
    List<SlotChange> first = List.of();
    for (int second = 0; first.isEmpty() && second < 60; second++) {
      now += SECOND;
      first = due();
    }
    map = map.with(first);
    version++;
    due();
    now += (CLOSE + 10) * SECOND;
    live.removeIf(replica -> replica.identity().equals("b"));
    ended.add("b");
    due();
    List<SlotChange> kept = new ArrayList<>();
    for (SlotChange change : first) {
      SlotEntry entry = map.entry(change.slot());
      if (entry.target().equals("b")) {
        kept.add(new SlotChange.Keep(change.slot(), "a", entry.epoch()));
      }
    }
    assertThat(kept).isNotEmpty();
    map = map.with(kept);
    version++;
    due();
    now += SECOND;

    assertThat(due())
        .filteredOn(SlotChange.Drain.class::isInstance)
        .extracting(SlotChange::slot)
        .containsAll(kept.stream().map(SlotChange::slot).toList());
  }

  private void drain(String identity) {
    live.replaceAll(replica ->
        replica.identity().equals(identity)
            ? new Replica(identity, replica.ordinal(), 0, false, "1", "")
            : replica);
  }

  private final long[] drainingSince = new long[64];

  /** Plans and stores each second; what drains is handed over, or kept at the limit if stuck. */
  private void run(int seconds, Set<Integer> stuck) {
    for (int second = 0; second < seconds; second++) {
      now += SECOND;
      List<SlotChange> changes = new ArrayList<>(due());
      for (int slot = 0; slot < map.slots(); slot++) {
        SlotEntry entry = map.entry(slot);
        if (!entry.isDraining()) {
          drainingSince[slot] = now;
        } else if (!stuck.contains(slot)) {
          changes.add(new SlotChange.HandOver(slot, entry.owner(), entry.epoch(), entry.target()));
        } else if (now - drainingSince[slot] >= (CLOSE + 1) * SECOND) {
          changes.add(new SlotChange.Keep(slot, entry.owner(), entry.epoch()));
        }
      }
      if (!changes.isEmpty()) {
        map = map.with(changes);
        version++;
      }
    }
  }

  private List<SlotChange> due() {
    StoredSlotMap stored = new StoredSlotMap("u", version, map, 1);
    SlotReplicas list = new SlotReplicas(live, Set.copyOf(ended), now, now);
    observed = observed.read(stored, now).listed(list, map.replicas(), TIMES, 4 * SECOND);
    return plans.due(stored, list, observed, now).changes();
  }
}
