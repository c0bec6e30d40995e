// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Tells what somebody who wrote an unknown word may have meant.
 *
 * <p>Thread rule: stateless.
 */
public final class Suggestions {
  private Suggestions() {}

  /**
   * Returns the end of a message: the nearest known word, if one is near, and all of them.
   *
   * @param unknown what was written
   * @param known what there is
   */
  public static String of(String unknown, Collection<String> known) {
    if (known.isEmpty()) {
      return "there are none";
    }
    String all = String.join(", ", new TreeSet<>(known));
    return known.stream()
        .min(Comparator.comparingInt(word -> distance(unknown, word)))
        .filter(word ->
            distance(unknown, word) <= Math.max(unknown.length() > 3 ? 2 : 1, unknown.length() / 3))
        .map(word -> "did you mean \"" + word + "\"? (known: " + all + ")")
        .orElse("known: " + all);
  }

  /** Edits between two words, upper and lower case being the same. */
  private static int distance(String a, String b) {
    String x = a.toLowerCase(Locale.ROOT);
    String y = b.toLowerCase(Locale.ROOT);
    int[] row = new int[y.length() + 1];
    for (int j = 0; j <= y.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= x.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= y.length(); j++) {
        int changed = diagonal + (x.charAt(i - 1) == y.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[y.length()];
  }
}
