// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.view.SlotStatistics;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Replicas divide the slots over a real API server. */
class SlotComponentTest extends SlotComponentFixture {

  private void awaitAllAfter(Replica one, Map<Integer, Long> epochs) {
    await(
        "all slots in later epochs",
        () ->
            one.controllers.open().equals(all())
                && one.controllers.epochs().entrySet().stream()
                    .allMatch(entry ->
                        entry.getValue() > Objects.requireNonNull(epochs.get(entry.getKey()))));
  }

  @Test
  void aSingleReplica_opensAllSlots_andGivesItsLeaseBackAtOnceWhenItStops() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    long before = System.nanoTime();
    one.stop();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
    assertThat(holder("x-replica-0")).isEmpty();
  }

  /** The admin API has not started yet: changes of the map are processed, and not kept. */
  @Test
  void aReplicaThatHasOpenedTheMap_ownsNothingBeforeItsStart_andEndsWithoutOne() throws Exception {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    Replica two = opened("two", 100, SLOTS);
    one.stop();
    await("free slots", () -> holder("x-replica-0").isEmpty());
    assertThat(two.controllers.open()).isEmpty();
    two.slots.stop().await();
    two.slots.close().await(30, TimeUnit.SECONDS);
    two.slots.close().await(30, TimeUnit.SECONDS);
    assertThat(two.controllers.epochs()).isEmpty();
  }

  @Test
  void aReplicaThatJoins_receivesItsShare_andTheOtherHandsItOver_oneOwnerAtATime() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    Replica two = replica("two", 90); // one has more than twice its quota, so slots move at once
    await(
        "the shares",
        () -> one.controllers.open().size() == 1 && two.controllers.open().size() == 7);
    Set<Integer> both = new TreeSet<>(one.controllers.open());
    both.addAll(two.controllers.open());
    assertThat(both).isEqualTo(all());
    assertThat(one.view().statistics().moves())
        .containsEntry(SlotStatistics.Move.ASSIGNED, (long) SLOTS);
    assertThat(two.view().statistics().moves()).containsEntry(SlotStatistics.Move.HANDED_OVER, 7L);
    two.controllers
        .epochs()
        .forEach((slot, epoch) -> assertThat(epoch).isGreaterThan(one.controllers.highest(slot)));
  }

  @Test
  void aReplicaThatStops_handsAllSlotsOver_beforeItsLeaseIsReleased() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    Replica two = replica("two", 100);
    await("its membership", () -> two.view().own().phase() == ReplicaPhase.HOLDING);
    one.slots.stop().await();
    await(
        "the map",
        () ->
            two.view().map().orElseThrow().map().replicas().stream()
                .allMatch(owner -> owner.startsWith("two_")));
    await("all slots", () -> two.controllers.open().equals(all()));
    assertThat(holder("x-replica-0")).startsWith("one_");
  }

  @Test
  void aDrainedReplica_keepsRunningWithoutSlots_andReceivesThemAgain() {
    Replica one = replica("one", 100);
    Replica two = replica("two", 100);
    await(
        "all slots", () -> one.controllers.open().size() + two.controllers.open().size() == SLOTS);
    one.slots.drain(true).await();
    await("no slots", () -> one.controllers.open().isEmpty());
    await("all slots", () -> two.controllers.open().equals(all()));
    assertThat(one.view().shares())
        .anySatisfy(share -> {
          assertThat(share.identity()).startsWith("one_");
          assertThat(share.drained()).isTrue();
        });
    one.slots.drain(false).await();
    await("its share", () -> one.controllers.open().size() >= SLOTS / 2 - 1);
  }

  @Test
  void aReplicaThatLosesItsLease_dropsItsSlots_andOwnsThemAgainUnderANewIdentity() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    String before = one.view().own().identity();
    Map<Integer, Long> epochs = one.controllers.epochs();
    takeLease("x-replica-0");
    await("a new identity", () -> !one.view().own().identity().equals(before));
    awaitAllAfter(one, epochs);
    assertThat(one.controllers.dropped()).isEqualTo(all());
  }

  @Test
  void aMapOfAnUnknownFunction_closesAllSlots_andSaysWhy_untilItCanBeReadAgain() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    maps().modify(MAP, map -> Objects.requireNonNull(map.getData()).put("function", "other/1"));
    await("no slots", () -> one.controllers.open().isEmpty());
    await("the reason", () -> one.view().problem().contains("function \"other/1\""));
    await("its report", () -> one.controllers.problem().contains("function"));
    maps()
        .modify(MAP, map -> Objects.requireNonNull(map.getData()).put("function", "fnv1a-fmix/1"));
    await("all slots", () -> one.controllers.open().equals(all()));
    await("its end", () -> one.controllers.problem().isEmpty());
  }

  @Test
  void aDeletedMap_endsNothing_andAnotherOneIsMadeAboveAllEpochs() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    Map<Integer, Long> epochs = one.controllers.epochs();
    String uid = one.view().own().followed().uid();
    maps().delete(MAP);
    await("another map", () -> !one.view().own().followed().uid().equals(uid));
    awaitAllAfter(one, epochs);
  }

  @Test
  void anOlderCopyOfTheMap_closesAllSlots_andSaysWhy() {
    Replica one = replica("one", 10);
    await("all slots", () -> one.controllers.open().equals(all()));
    V1ConfigMap older = maps().get(MAP).orElseThrow();
    Replica two = replica("two", 90);
    await("its share", () -> two.controllers.open().size() == 7);
    maps().modify(MAP, map -> map.setData(older.getData()));
    await("no slots", () -> two.controllers.open().isEmpty());
    await("the reason", () -> two.view().problem().contains("older than one that was read"));
  }
}
