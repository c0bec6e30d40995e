// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

/**
 * Matching of names against a pattern of {@code *} and {@code ?}, without backtracking over stars.
 */
final class Glob {
  private Glob() {}

  static boolean matches(String glob, String text) {
    int g = 0;
    int t = 0;
    int starGlob = -1;
    int starText = 0;
    while (t < text.length()) {
      if (g < glob.length()
          && (glob.charAt(g) == '?' || glob.charAt(g) == text.charAt(t))
          && glob.charAt(g) != '*') {
        g++;
        t++;
      } else if (g < glob.length() && glob.charAt(g) == '*') {
        starGlob = g++;
        starText = t;
      } else if (starGlob >= 0) {
        // Only the last star needs to be retried: an earlier one would match nothing more.
        g = starGlob + 1;
        t = ++starText;
      } else {
        return false;
      }
    }
    while (g < glob.length() && glob.charAt(g) == '*') {
      g++;
    }
    return g == glob.length();
  }
}
