// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Suggestions for mistyped words.
 *
 * <p>Thread rule: stateless.
 */
public final class Suggestions {
  private Suggestions() {}

  /**
   * Returns the end of a message: the closest word, if one is close, and all allowed words.
   *
   * @param unknown the mistyped word
   * @param choices the allowed words
   */
  public static String of(String unknown, Collection<String> choices) {
    if (choices.isEmpty()) {
      return "there are none";
    }
    String all = String.join(", ", new TreeSet<>(choices));
    return choices.stream()
        .min(Comparator.comparingInt(word -> distance(unknown, word)))
        .filter(word ->
            distance(unknown, word) <= Math.max(unknown.length() > 3 ? 2 : 1, unknown.length() / 3))
        .map(word -> "did you mean \"" + word + "\"? (known: " + all + ")")
        .orElse("known: " + all);
  }

  /** Returns the edit distance of two words, ignoring case. */
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
