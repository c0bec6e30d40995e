// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sources that were added while the controller ran take part when slots move. */
class AddedSourceSlotsTest extends ShardedControllerFixture {

  private static final MovedItem WAITING =
      new MovedItem("0", "a", 3, true, Duration.ofMinutes(1), 0, "no");

  private final SourceRegistry<Request> registry = builder.sourceRegistry();
  private final Store added = new Store();

  @BeforeEach
  void nothingIsDeliveredAtTheStart() {
    added.atStart = List.of();
  }

  private void addIt() {
    assertThat(kit.await(registry.add("templates", () -> added))).isSameAs(added);
  }

  @Test
  void acquiredSlot_isDeliveredByAnAddedSource() {
    addIt();
    open(0, 1);
    assertThat(added.positions).containsExactly("");
    assertThat(started).contains(A0, B0).doesNotContain(A1);
  }

  @Test
  void handedOverSlot_hasThePositionsOfAddedSources_byName() {
    addIt();
    open(0, 1);
    kit.await(kit.slots().close(0));
    MovedSlot moved = kit.await(kit.slots().export(0, 100));
    assertThat(moved.positions()).containsExactly("7");
    assertThat(moved.added()).containsExactly(Map.entry("templates", "7"));
  }

  @Test
  void newOwnerWithTheSource_startsOnlyWhatHasChanged() {
    addIt();
    kit.await(
        kit.slots()
            .openMoved(
                new Term(0, 2),
                new MovedSlot(List.of(WAITING), List.of("7"), Map.of("templates", "5"))));
    time.settle();
    assertThat(store.positions).containsExactly("7");
    assertThat(added.positions).containsExactly("5");
    assertThat(started).as("a waits for its retry").containsExactly(B0);
  }

  @Test
  void newOwnerWithoutTheSource_startsEverything_soThatItIsAddedThere() {
    kit.await(
        kit.slots()
            .openMoved(
                new Term(0, 2),
                new MovedSlot(List.of(WAITING), List.of("7"), Map.of("templates", "5"))));
    time.settle();
    assertThat(store.positions).containsExactly("");
    assertThat(started).containsExactlyInAnyOrder(A0, B0);
    assertThat(contexts.get(started.indexOf(A0)).failures()).isEqualTo(3);
  }

  /** What only an added source delivers may be what adds the other source. */
  @Test
  void newOwnerWithoutOneOfTheSources_trustsNoPosition_alsoOfThoseThatItHas() {
    addIt();
    kit.await(
        kit.slots()
            .openMoved(
                new Term(0, 2),
                new MovedSlot(
                    List.of(WAITING), List.of("7"), Map.of("templates", "5", "others", "6"))));
    time.settle();
    assertThat(store.positions).containsExactly("");
    assertThat(added.positions).containsExactly("");
  }

  @Test
  void sourceThatTheFormerOwnerDidNotHave_deliversEverything() {
    addIt();
    kit.await(kit.slots().openMoved(new Term(0, 2), new MovedSlot(List.of(WAITING), List.of("7"))));
    time.settle();
    assertThat(store.positions).containsExactly("7");
    assertThat(added.positions).containsExactly("");
    assertThat(started).containsExactlyInAnyOrder(A0, B0);
  }

  @Test
  void lostSlot_isNotDeliveredAnyMore_alsoByAnAddedSource() {
    addIt();
    open(0, 1);
    kit.await(kit.slots().drop(List.of(0)));
    started.clear();
    registry.remove("templates");
    time.settle();
    Store other = new Store(); // delivers the objects of both slots at its start
    assertThat(kit.await(registry.add("others", () -> other))).isSameAs(other);
    time.settle();
    assertThat(started).isEmpty();
    open(1, 1);
    assertThat(other.positions).containsExactly("");
    assertThat(added.positions).as("removed").containsExactly("");
    assertThat(started).containsExactly(A1);
  }
}
