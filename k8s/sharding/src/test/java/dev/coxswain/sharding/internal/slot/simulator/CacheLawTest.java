// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.slot.simulator.cache.CacheVariant;
import dev.coxswain.sharding.internal.slot.simulator.cache.SimulatedCache;
import dev.coxswain.testing.TestLength;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replicas that start, end, are cut and hand slots over, with caches whose watches are selected by the server: every object of
 * an open slot is in the cache, as of the version that it claims, or its slot is not open.
 */
class CacheLawTest {

  private static final int SLOTS = 8;
  private static final long TIME = 60_000;
  private static final long PATIENCE = 60_000;

  /** How many seeds are tried until a seeded fault has to be found. */
  private static final int TRIES = 5;

  /** The end of a run: what the caches contain, who owns how many slots, and how many changes of owners there were. */
  private record End(
      Map<String, Map<Request, Long>> contents, Map<String, Integer> shares, int moves) {}

  /**
   * One run.
   *
   * @param behind the caches that do not have the last version of everything in their slots
   * @param checks how often a cache was checked that claims a version
   * @param selections how many watches were opened with a selector
   */
  private record Run(
      End end,
      List<String> violations,
      List<String> behind,
      int checks,
      int selections,
      int loads) {

    static Run of(CacheVariant variant, long seed) {
      SlotSimulation simulation = new SlotSimulation(SimulationOptions.of(SLOTS), seed);
      SimulatedCaches caches = simulation.withCaches(variant, seed);
      for (int i = 0; i < 3; i++) {
        simulation.start();
      }
      simulation.run(20_000);
      simulation.runWithTrouble(TIME, 6);
      simulation.run(20_000);
      caches.end();
      simulation.run(PATIENCE);
      try {
        return new Run(
            new End(caches.contents(), simulation.shares(), simulation.server().moves()),
            caches.violations(),
            caches.behind(),
            caches.sum(SimulatedCache::checks),
            caches.sum(SimulatedCache::selections),
            caches.sum(SimulatedCache::loads));
      } finally {
        caches.close();
      }
    }
  }

  static Stream<Long> seeds() {
    return TestLength.seeds(2, 40);
  }

  @ParameterizedTest(name = "-Dcoxswain.seed={0}")
  @MethodSource("seeds")
  void aCacheHasTheObjectsOfItsOpenSlots_andASelectionThatIsTooWideChangesNothing(long seed) {
    Run exact = Run.of(CacheVariant.SELECTED, seed);
    System.out.printf(
        "seed %d: %d checks, %d watches with a selector, %d loads, %d moves%n",
        seed, exact.checks, exact.selections, exact.loads, exact.end.moves);
    assertLawful(exact, CacheVariant.SELECTED, seed);
    for (CacheVariant wide : List.of(CacheVariant.IGNORED, CacheVariant.CHANGING)) {
      Run other = Run.of(wide, seed);
      assertLawful(other, wide, seed);
      assertThat(other.end).as("%s, seed %s", wide, seed).isEqualTo(exact.end);
    }
  }

  private static void assertLawful(Run run, CacheVariant variant, long seed) {
    assertThat(run.violations).as("%s, seed %s", variant, seed).isEmpty();
    assertThat(run.behind).as("caches that are behind, %s, seed %s", variant, seed).isEmpty();
    if (TestLength.isFixed(seed)) {
      assertThat(run.checks).as("checks, %s, seed %s", variant, seed).isGreaterThan(1_000);
      assertThat(run.selections).as("selections, %s, seed %s", variant, seed).isGreaterThan(50);
      assertThat(run.loads).as("loads, %s, seed %s", variant, seed).isGreaterThan(20);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LACKS_A_NAMESPACE", "LOADS_UNCOVERED", "SKIPS_NEW_NAMESPACES"})
  void aSeededFault_isFound(CacheVariant fault) {
    long seed = 0;
    List<String> found = List.of();
    while (found.isEmpty() && seed < TRIES) {
      found = Run.of(fault, ++seed).violations;
    }
    assertThat(found).as("%s with %s seeds", fault, TRIES).isNotEmpty();
    System.out.println(fault + " is found with seed " + seed + ": " + found.getFirst());
  }
}
