// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

/**
 * Simple class names for display, never empty.
 *
 * <p>Thread rule: any thread.
 */
public final class ClassNames {

  private ClassNames() {}

  /**
   * Returns the name without package; for an anonymous class, which has none, as the compiler has
   * it.
   */
  public static String simple(Class<?> type) {
    String simple = type.getSimpleName();
    if (!simple.isEmpty()) {
      return simple;
    }
    String name = type.getName();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
