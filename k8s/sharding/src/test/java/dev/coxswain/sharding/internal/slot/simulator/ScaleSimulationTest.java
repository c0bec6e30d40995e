// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.simulator.ScaleFigures.Group;
import dev.coxswain.sharding.internal.slot.simulator.ScaleFigures.Row;
import dev.coxswain.testing.TestLength;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The laws of the figures in {@code docs/evidence/scale.md}, in a small size. */
class ScaleSimulationTest {

  private static final long LOAD = 1_000;
  private static final long LEASE = ScaleSimulation.TIMES.leaseDuration();

  static Stream<Arguments> sizes() {
    return TestLength.seeds(1, 3)
        .flatMap(seed ->
            Stream.of(
                Arguments.of(10, 256, seed),
                Arguments.of(12, 64, seed),
                Arguments.of(40, 256, seed),
                Arguments.of(60, 512, seed)));
  }

  @ParameterizedTest(name = "{0} replicas, {1} slots, -Dcoxswain.seed={2}")
  @MethodSource("sizes")
  void aJoin_movesTheShareOfTheNewReplica(int replicas, int slots, long seed) {
    Row row = new Group(replicas, slots, LOAD, seed).join();
    check(row, replicas + 1, seed);
    assertThat(row.moves()).as("seed %s", seed).isEqualTo(slots / (replicas + 1));
    assertThat(row.longestClosed()).as("closed, seed %s", seed).isLessThan(500);
  }

  @ParameterizedTest(name = "{0} replicas, {1} slots, -Dcoxswain.seed={2}")
  @MethodSource("sizes")
  void aCrash_movesTheSlotsOfTheDead_inOneWrite(int replicas, int slots, long seed) {
    Row row = new Group(replicas, slots, LOAD, seed).crash();
    check(row, replicas - 1, seed);
    assertThat(row.writes()).as("seed %s", seed).isEqualTo(1);
    assertThat(row.fences()).as("seed %s", seed).isEqualTo(1);
    assertThat(row.longestClosed())
        .as("closed, seed %s", seed)
        .isLessThan(LEASE + 2 * ScaleSimulation.READ_PERIOD + LOAD);
  }

  @ParameterizedTest(name = "{0} replicas, {1} slots, -Dcoxswain.seed={2}")
  @MethodSource("sizes")
  void aLostZone_movesTheSlotsOfTheDead(int replicas, int slots, long seed) {
    Row row = new Group(replicas, slots, LOAD, seed).lostZone();
    int dead = (replicas + 2) / 3;
    shares(row, replicas - dead, seed);
    // The planner counts a dead replica until its own Lease is released, so some slots move twice.
    int least = SimulationFixture.surplus(row.before(), row.after());
    assertThat(row.moves()).as("moves, seed %s", seed).isBetween(least, least + least / 2);
    assertThat(row.fences()).as("seed %s", seed).isEqualTo(dead);
    assertThat(row.writes()).as("seed %s", seed).isLessThanOrEqualTo(dead);
  }

  @ParameterizedTest(name = "{0} replicas, {1} slots, -Dcoxswain.seed={2}")
  @MethodSource("sizes")
  void aRollOut_movesEachSlotOnce_andAtMostOneMoreOfEachReplica(
      int replicas, int slots, long seed) {
    Row row = new Group(replicas, slots, LOAD, seed).rollOut(true);
    shares(row, replicas, seed);
    // A leaver with one slot more than others gives it to one that still has to leave.
    assertThat(row.moves()).as("moves, seed %s", seed).isBetween(slots, slots + replicas);
  }

  @ParameterizedTest(name = "{0} replicas, {1} slots, -Dcoxswain.seed={2}")
  @MethodSource("sizes")
  void aRollOut_movesAFewMoreSlots_whenOldReplicasLeaveFirst(int replicas, int slots, long seed) {
    Row row = new Group(replicas, slots, LOAD, seed).rollOut(false);
    shares(row, replicas, seed);
    int share = slots / replicas + 1;
    // Those of the first one move again, and the last new one gets its share in the end.
    assertThat(row.moves())
        .as("moves, seed %s", seed)
        .isBetween(slots, slots + 2 * share + replicas);
  }

  /** Prints the tables of the page. */
  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  @EnabledIfSystemProperty(named = "coxswain.scale", matches = ".+")
  void figures() {
    ScaleFigures.print(List.of(System.getProperty("coxswain.scale").split(",", -1)));
  }

  /** No slot moves without a need, and no replica has more than its quota in the end. */
  private static void check(Row row, int replicas, long seed) {
    shares(row, replicas, seed);
    assertThat(row.moves())
        .as("moves, seed %s", seed)
        .isEqualTo(SimulationFixture.surplus(row.before(), row.after()));
  }

  private static void shares(Row row, int replicas, long seed) {
    assertThat(row.after()).as("seed %s", seed).hasSize(replicas);
    assertThat(row.after().values())
        .as("shares, seed %s", seed)
        .allMatch(share -> share <= row.slots() / replicas + 1);
  }
}
