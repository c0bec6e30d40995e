// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

/**
 * Comparison of resource versions. Those of one resource are comparable when they are decimal
 * numbers without leading zeros, as API servers promise since 1.35 and have always sent; anything
 * else can only be equal or not.
 *
 * <p>Thread rule: stateless.
 */
public final class Versions {

  private Versions() {}

  /** Returns whether two versions can be compared. */
  public static boolean comparable(String one, String two) {
    return isNumber(one) && isNumber(two);
  }

  /**
   * Returns whether a version is equal to another one or later; false when they cannot be compared.
   */
  public static boolean reaches(String version, String other) {
    return comparable(version, other) && compare(version, other) >= 0;
  }

  /** Returns the later one; {@code two} when they cannot be compared. */
  public static String later(String one, String two) {
    return comparable(one, two) ? (compare(one, two) > 0 ? one : two) : two.isEmpty() ? one : two;
  }

  /** Returns a version as a number; 0 when it is none, or does not fit into a long. */
  public static long number(String version) {
    return isNumber(version) && version.length() <= 18 ? Long.parseLong(version) : 0;
  }

  private static int compare(String one, String two) {
    // Of any length: they may not fit into a long.
    return one.length() != two.length()
        ? Integer.compare(one.length(), two.length())
        : one.compareTo(two);
  }

  private static boolean isNumber(String version) {
    if (version.isEmpty() || version.charAt(0) == '0') {
      return false;
    }
    for (int i = 0; i < version.length(); i++) {
      if (version.charAt(i) < '0' || version.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }
}
