// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * How long searches, simulations and storms are: short in a build, long with {@code mvn -Plong}. The
 * law that they check is the same.
 *
 * <p>{@code -Dcoxswain.seed=N} repeats one seed. Thread rule: any thread.
 */
public final class TestLength {

  private static final long FIRST_FRESH = 1_000;

  private static final boolean LONG = Boolean.getBoolean("coxswain.long");

  private TestLength() {}

  /** Returns whether this is the long suite. */
  public static boolean isLong() {
    return LONG;
  }

  /** Returns the first number in a build, and the second one in the long suite. */
  public static int of(int inBuild, int inLongSuite) {
    return LONG ? inLongSuite : inBuild;
  }

  /**
   * Returns the seeds of a random test. Those of a build are 1, 2, ... for the first half, so that a
   * change is compared with the one before it, and the rest differs from run to run; they are
   * printed. The long suite has the same ones first, then others.
   *
   * @param inBuild how many, at least 1
   * @param inLongSuite how many, at least as many
   */
  public static Stream<Long> seeds(int inBuild, int inLongSuite) {
    Long given = Long.getLong("coxswain.seed");
    if (given != null) {
      return Stream.of(given);
    }
    int count = of(inBuild, inLongSuite);
    int fixed = (count + 1) / 2;
    SplittableRandom random = new SplittableRandom(System.nanoTime());
    long[] seeds =
        LongStream.concat(
                LongStream.rangeClosed(1, fixed),
                random.longs(count - fixed, FIRST_FRESH, 1_000_000_000))
            .toArray();
    System.out.println("seeds " + Arrays.toString(seeds));
    return LongStream.of(seeds).boxed();
  }

  /**
   * Returns whether a seed is one of those that each run has. What a run merely happens to reach, such as a rare path, can be
   * expected of these only: of the others each has to keep the laws, whatever it reaches.
   */
  public static boolean isFixed(long seed) {
    return seed < FIRST_FRESH;
  }
}
