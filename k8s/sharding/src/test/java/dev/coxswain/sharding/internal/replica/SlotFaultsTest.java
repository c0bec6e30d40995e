// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotMapFormat;
import dev.coxswain.sharding.internal.view.SlotReadiness;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults in the middle of a move, and maps that no replica can use. */
class SlotFaultsTest extends SlotComponentFixture {

  private static final int NONE = -1;

  private void awaitLaterEpochs(Replica replica, Map<Integer, Long> epochs) {
    await(
        "all slots in later epochs",
        () ->
            replica.controllers.open().equals(all())
                && replica.controllers.epochs().entrySet().stream()
                    .allMatch(entry ->
                        entry.getValue() > Objects.requireNonNull(epochs.get(entry.getKey()))));
  }

  /**
   * Schedule 7, its first part: the source ends when the state is stored and the slot is not handed
   * over. The write of the map fails until then.
   */
  @Test
  void schedule7_aSourceThatEndsBetweenExportAndHandOver_losesNeitherSlotNorState() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    Map<Integer, Long> epochs = one.controllers.epochs();
    Map<String, MovedSlot> state =
        Map.of(
            "demo",
            new MovedSlot(
                List.of(new MovedItem("shop", "a", 3, true, Duration.ofSeconds(5), 0, "no")),
                List.of("1")));
    AtomicInteger exported = new AtomicInteger(NONE);
    one.controllers.exports(slot -> {
      if (exported.compareAndSet(NONE, slot)) {
        server
            .faults()
            .inject(
                Fault.fail(500, Duration.ZERO)
                    .on(FaultFilter.path("configmaps/x-slots").withVerbs("update")));
      }
      return state;
    });
    Replica two = replica("two", 90);
    int slot = NONE;
    while (slot == NONE) {
      await("an export", () -> exported.get() != NONE);
      if (isStored(exported.get())) {
        slot = exported.get();
      } else {
        server.faults().reset(); // too slow, so the slot moves without its state
        exported.set(NONE);
      }
    }
    one.end();
    assertThat(two.controllers.open()).as("not handed over").doesNotContain(slot);
    server.faults().reset();
    awaitLaterEpochs(two, epochs);
    assertThat(two.controllers.moved()).containsEntry(slot, state);
  }

  /** Returns whether the state of a slot is stored within the time that a replica has for it. */
  private boolean isStored(int slot) {
    long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (System.nanoTime() - end < 0) {
      Optional<V1ConfigMap> moved = maps().get(Request.of("default", "x-moved-0"));
      if (moved.map(V1ConfigMap::getData).orElse(Map.of()).containsKey(Integer.toString(slot))) {
        return true;
      }
      LockSupport.parkNanos(20_000_000);
    }
    return false;
  }

  /** All replicas are closed by it, so one of them must make another map. */
  @Test
  void anUnusableMapThatIsDeleted_isReplacedByAnotherOne_aboveAllEpochs() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    Map<Integer, Long> epochs = one.controllers.epochs();
    maps().modify(MAP, map -> Objects.requireNonNull(map.getData()).put("function", "other/1"));
    await("no slots", () -> one.controllers.open().isEmpty());
    await("the reason", () -> one.view().problem().contains("function \"other/1\""));
    maps().delete(MAP);
    awaitLaterEpochs(one, epochs);
    await("no problem", () -> one.view().problem().isEmpty());
    await("its end", () -> one.controllers.problem().isEmpty());
  }

  @Test
  void anOlderCopyOfTheMapThatIsDeleted_isReplacedByAnotherOne_aboveAllEpochs() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    V1ConfigMap older = maps().get(MAP).orElseThrow();
    Replica two = replica("two", 90);
    await("its share", () -> two.controllers.open().size() == 7);
    Map<Integer, Long> epochs = two.controllers.epochs();
    one.stop();
    await("all slots", () -> two.controllers.open().equals(all()));
    maps().modify(MAP, map -> map.setData(older.getData()));
    await("no slots", () -> two.controllers.open().isEmpty());
    maps().delete(MAP);
    await("all slots again", () -> two.controllers.open().equals(all()));
    epochs.forEach((slot, epoch) ->
        assertThat(two.controllers.epochs().get(slot)).as("slot %s", slot).isGreaterThan(epoch));
  }

  /** All replicas stood still and were ready, and nothing named the cause. */
  @ParameterizedTest
  @ValueSource(strings = {"function", "table", "owners", "an older copy"})
  void aMapThatIsNotAccepted_makesTheReplicaUnready_untilItIsReset(String damage) {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    V1ConfigMap older = maps().get(MAP).orElseThrow();
    Replica two = replica("two", 90);
    await("its share", () -> two.controllers.open().size() == 7);
    assertThat(two.slots.readiness(true)).isEqualTo(new SlotReadiness("", false));
    maps()
        .modify(
            MAP,
            map -> {
              if (damage.equals("an older copy")) {
                map.setData(older.getData());
              } else {
                Objects.requireNonNull(map.getData()).put(damage, "?");
              }
            });
    await("not ready", () -> two.slots.readiness(true).counts());
    assertThat(two.controllers.open()).isEmpty();
    assertThat(two.slots.readiness(true).problem())
        .contains("coxswain ctl slots reset", "which is safe");
    assertThat(two.slots.readiness(false).counts()).isFalse();
    deleteMap(two);
    await(
        "all slots", () -> one.controllers.open().size() + two.controllers.open().size() == SLOTS);
    await("ready", () -> !two.slots.readiness(true).counts());
    deleteMap(two); // also one that is accepted
    await(
        "all slots again",
        () -> one.controllers.open().size() + two.controllers.open().size() == SLOTS);
  }

  /** On a busy machine a renewal may be late, and the replica writes nothing until the next one. */
  private static void deleteMap(Replica by) {
    await(
        "the map to be deleted",
        () -> {
          try {
            by.slots.deleteMap().await();
            return true;
          } catch (LostOwnershipException e) {
            assertThat(e).hasMessageContaining("Lease");
            return false;
          }
        });
  }

  /** Schedule 23: the map counts, and the replica that is configured otherwise shows that. */
  @Test
  void schedule23_aReplicaWithAnotherNumberOfSlots_usesThatOfTheMap_andShowsIt() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    Replica two = replica("two", 90, 2 * SLOTS);
    await("its share", () -> two.controllers.open().size() == 7);
    Set<Integer> both = new TreeSet<>(one.controllers.open());
    both.addAll(two.controllers.open());
    assertThat(both).isEqualTo(all());
    assertThat(two.slots.readiness(true).problem())
        .contains("membership.slots is 16, and the slot map was made with 8");
    assertThat(one.slots.readiness(true).problem()).isEmpty();
  }

  /** As with the number of slots. */
  @Test
  void aReplicaWithAnotherDivision_usesThatOfTheMap_andShowsIt() {
    Replica one = replica("one", 10, SLOTS, SlotDivision.NAMESPACE);
    await("all slots", () -> one.controllers.open().equals(all()));
    Replica two = replica("two", 90);
    await("its share", () -> two.controllers.open().size() == 7);
    assertThat(two.slots.readiness(true).problem())
        .contains("membership.slotsBy is key, and the slot map was made with namespace");
    assertThat(one.slots.readiness(true).problem()).isEmpty();
    for (Replica each : List.of(one, two)) {
      assertThat(each.controllers.slots().slotOf("team-a", "x"))
          .isEqualTo(each.controllers.slots().slotOf("team-a", "y"))
          .isEqualTo(each.controllers.slots().slotOfNamespace("team-a").orElseThrow());
    }
  }

  /** Two replicas that divide in another way would own one request. */
  @Test
  void aMapOfAnotherDivision_inPlaceOfTheFirst_isFollowedAfterARestartOnly() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    long above = one.controllers.highest(0) + 100;
    SlotMap other = SlotMap.initial(SlotDivision.NAMESPACE, SLOTS, above);
    replaceMap(other);
    await(
        "the problem",
        () -> one.view().problem().contains("has 8 slots by namespace, and this replica started"));
    assertThat(one.controllers.open()).isEmpty();
    assertThat(one.controllers.highest(0)).isLessThan(above);
    await("not ready", () -> one.slots.readiness(true).counts());
    one.stop();
    Replica again = replica("one", 10);
    await("all slots", () -> again.controllers.open().equals(all()));
    assertThat(again.controllers.slots().slotOfNamespace("a")).isPresent();
  }

  /** As after an edit by hand. */
  @Test
  void aMapWhoseDivisionWasEdited_isNotAccepted() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    maps().modify(MAP, map -> map.putDataItem("function", SlotDivision.NAMESPACE.function()));
    await(
        "the problem",
        () -> one.view().problem().contains("the slots are by namespace and were by key"));
    await("no slots", () -> one.controllers.open().isEmpty());
  }

  private void replaceMap(SlotMap other) {
    V1ConfigMap map =
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace(MAP.namespace()).name(MAP.name()))
            .data(SlotMapFormat.encode(other));
    await(
        "the other map",
        () -> {
          maps().delete(MAP);
          try {
            maps().create(map);
            return true;
          } catch (ApiStatusException e) {
            return false; // the replica was quicker
          }
        });
  }

  /** The controllers compute slots with the number of the first map, so another one is not theirs. */
  @Test
  void aMapOfAnotherNumberOfSlots_inPlaceOfTheFirst_isFollowedAfterARestartOnly() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    long above = one.controllers.highest(0) + 100;
    replaceMap(SlotMap.initial(SlotDivision.KEY, 2 * SLOTS, above));
    await(
        "the problem",
        () ->
            one.view()
                .problem()
                .contains("has 16 slots by key, and this replica started with 8 by key"));
    assertThat(one.controllers.open()).isEmpty();
    assertThat(one.controllers.highest(0)).isLessThan(above);
    await("not ready", () -> one.slots.readiness(true).counts());
    assertThat(one.slots.readiness(true).problem()).contains("restart this replica");
    one.stop();
    Replica again = replica("one", 10);
    await("all slots", () -> again.controllers.open().size() == 2 * SLOTS);
  }

  /** Its slots have other numbers then, so each gate of the old ones must close. */
  @Test
  void aMapWhoseSlotsAreSplit_closesAllSlots_alsoOfAReplicaThatHasSomeOfThem() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    Replica two = replica("two", 90);
    await("its share", () -> two.controllers.open().size() == 7);
    long above = Math.max(one.controllers.highest(0), two.controllers.highest(0)) + 100;
    maps()
        .modify(
            MAP,
            map ->
                map.setData(
                    SlotMapFormat.encode(SlotMap.initial(SlotDivision.KEY, 2 * SLOTS, above))));
    await("the problem", () -> one.view().problem().contains("has 16 slots"));
    await("no slots of one", () -> one.controllers.open().isEmpty());
    await("no slots of two", () -> two.controllers.open().isEmpty());
    for (Replica each : List.of(one, two)) {
      assertThat(each.controllers.dropped()).as("slots that it does not have").isSubsetOf(all());
    }
  }
}
