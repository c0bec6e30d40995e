// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.TestLength;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Interleavings of a few replicas, with the functions of production, in discrete time: the
 * invariants of {@link dev.coxswain.sharding.internal.slot.ReplicaSlots} hold in each state that can be reached.
 * The long suite searches all of them; a build searches all of the smaller state spaces, and of the
 * others a part, another one each time.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES) // of the long suite: five on an idle machine
@Order(1) // takes long
class SlotSearchTest {

  /** States of each level from which a build searches on. */
  private static final int BREADTH = 60;

  private static final String[] MOVES = {"Assign", "TakeOver", "Drain", "HandOver", "Keep"};

  private static final String[] FAULTS = {
    "deleted", "silent", "crashes", "leave", "out of reach", "creates map u2"
  };

  /** Searches all states in the long suite, and in a build a part of them. */
  private static SlotSearch searchedPart(SearchOptions options) {
    if (TestLength.isLong()) {
      SlotSearch search = searched(new SlotSearch(options).run());
      assertThat(search.isComplete()).isTrue();
      return search;
    }
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    return searched(new SlotSearch(options).sample(BREADTH, seed));
  }

  private static SlotSearch searched(SlotSearch search) {
    System.out.println(search);
    System.out.println("first reached by: " + search.coverage());
    assertThat(search.violation())
        .as(() -> String.join(System.lineSeparator(), search.schedule()))
        .isEmpty();
    return search;
  }

  /** What a sample reaches differs from run to run: only a search of all states has to reach each part. */
  private static void reaches(SlotSearch search, String... parts) {
    if (search.isComplete()) {
      for (String part : parts) {
        assertThat(search.coverage().of(part)).as(part).isPositive();
      }
    }
  }

  /** Crashes, stops, cuts and lost responses, any number of them, from the first join on. */
  @Test
  void twoReplicasAndOneSlot_withAnySilences_violateNothing() {
    SlotSearch search = searchedPart(SearchOptions.of(2, 1).anySilence());
    reaches(search, "Assign", "TakeOver", "fences", "finds its Lease lost");
  }

  /** Schedules 3, 4 and 5 of the protocol are among these. */
  @Test
  void twoReplicasAndOneSlot_withTwoFaults_violateNothing() {
    SlotSearch search = searchedPart(SearchOptions.of(2, 1).faults(2, Fault.values()));
    reaches(search, MOVES);
    reaches(search, FAULTS);
    reaches(search, "creates map u3");
  }

  @Test
  void twoReplicasAndOneSlot_withAnyDrainsAndOneFault_violateNothing() {
    SlotSearch search =
        searched(new SlotSearch(SearchOptions.of(2, 1).anyDrain().faults(1, Fault.values())).run());
    assertThat(search.isComplete()).isTrue();
    reaches(search, MOVES);
    reaches(search, FAULTS);
  }

  /** From the first join on, where a slot may drain before its first owner has read the map. */
  @Test
  void twoReplicasAndOneSlot_withAnySilencesAndDrainsAndOneFault_violateNothingInShortSchedules() {
    SearchOptions options = SearchOptions.of(2, 1).anySilence().anyDrain();
    searched(new SlotSearch(options.faults(1, Fault.values())).run(TestLength.of(9, 12)));
  }

  @Test
  void threeReplicasAndTwoSlots_withOneFault_violateNothing() {
    SlotSearch search =
        searched(new SlotSearch(SearchOptions.of(3, 2).faults(1, Fault.values())).run());
    assertThat(search.isComplete()).isTrue();
    reaches(search, MOVES);
    reaches(search, FAULTS);
  }

  /** All of them, with {@link Reduction}; without it these are more than a build has room for. */
  @Test
  void threeReplicasAndTwoSlots_withTwoFaults_violateNothing() {
    SlotSearch search = searchedPart(SearchOptions.of(3, 2).faults(2, Fault.values()).reduce());
    reaches(search, MOVES);
    reaches(search, FAULTS);
    reaches(search, "fences", "creates map u3");
  }
}
