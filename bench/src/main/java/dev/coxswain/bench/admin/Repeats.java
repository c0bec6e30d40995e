// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rule that selects the attempt at a part that counts in a round: the first one that the machine left alone. It does not depend on what is measured of the program, so a result cannot be chosen.
 */
final class Repeats {
  /** How often a part is measured again. */
  static final int MOST = 3;

  private Repeats() {}

  /** Measures once. */
  interface Measurement<A> {
    A once() throws IOException;
  }

  /**
   * A round of one part.
   *
   * @param discarded the attempts before the one that counts, in their order
   * @param counted the one that counts; null when none was left alone, and the round does not count
   */
  record Round<A>(List<A> discarded, @Nullable A counted) {}

  /** Measures until an attempt was left alone, but not too often. */
  static <A> Round<A> measure(Measurement<A> measurement, Predicate<A> leftAlone)
      throws IOException {
    List<A> discarded = new ArrayList<>();
    while (discarded.size() <= MOST) {
      A attempt = measurement.once();
      if (leftAlone.test(attempt)) {
        return new Round<>(List.copyOf(discarded), attempt);
      }
      discarded.add(attempt);
    }
    return new Round<>(List.copyOf(discarded), null);
  }
}
