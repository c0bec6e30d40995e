// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each part of the protocol prevents something: without it the search finds a schedule, and prints
 * the shortest. The side table of the caches is not part of this model.
 */
class RemovedSafeguardTest {

  static Stream<Arguments> safeguards() {
    SearchOptions two = SearchOptions.of(2, 1);
    return Stream.of(
        Arguments.of(Safeguard.FENCE, two.faults(1, Fault.SILENCE), "I1"),
        Arguments.of(Safeguard.GUARD_OF_WRITES, two.faults(1, Fault.SILENCE), "I1"),
        Arguments.of(Safeguard.GRACE, two.faults(1, Fault.SILENCE), "I1"),
        Arguments.of(Safeguard.GUARD_PER_ATTEMPT, two.faults(1, Fault.SILENCE), "I1"),
        Arguments.of(Safeguard.UNANSWERED_WRITES, two.anyDrain(), "I5"),
        Arguments.of(Safeguard.ABSENT_LEASE, two.faults(1, Fault.LEASE_DELETION), "I5"),
        Arguments.of(Safeguard.GAP, two.faults(1, Fault.OUTAGE), "after an outage"));
  }

  @ParameterizedTest
  @MethodSource("safeguards")
  void withoutASafeguard_anInvariantIsViolated(
      Safeguard safeguard, SearchOptions options, String expected) {
    SlotSearch search = new SlotSearch(options.without(safeguard)).run();
    System.out.println(search);
    search.schedule().forEach(action -> System.out.println("  " + action));
    assertThat(search.violation()).startsWith(expected);
  }

  /** What a reduced search leaves out is not what the safeguards prevent. */
  @ParameterizedTest
  @MethodSource("safeguards")
  void withoutASafeguard_aReducedSearchFindsAViolation(Safeguard safeguard, SearchOptions options) {
    SlotSearch search = new SlotSearch(options.without(safeguard).reduce()).run();
    System.out.println(search + ": " + search.violation());
    assertThat(search.violation()).as("%s", safeguard).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("safeguards")
  void withTheSafeguard_aReducedSearchFindsNoViolation(Safeguard safeguard, SearchOptions options) {
    SlotSearch search = new SlotSearch(options.reduce()).run();
    assertThat(search.violation()).as("%s", safeguard).isEmpty();
    assertThat(search.isComplete()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("safeguards")
  void withTheSafeguard_theSameFaultsViolateNothing(Safeguard safeguard, SearchOptions options) {
    SlotSearch search = new SlotSearch(options).run();
    assertThat(search.violation()).as("%s", safeguard).isEmpty();
    assertThat(search.isComplete()).isTrue();
  }
}
