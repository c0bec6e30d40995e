// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

/**
 * A flag that a command knows.
 *
 * @param name with its dashes, such as {@code --namespace}
 * @param letter the short form without its dash, or 0
 * @param value what to call its value in the help; empty for a flag that stands alone
 * @param help what it does, for the help
 */
record Flag(String name, char letter, String value, String help) {

  /** A flag that needs a value. */
  static Flag of(String name, String value, String help) {
    return new Flag(name, (char) 0, value, help);
  }

  /** A flag that stands alone. */
  static Flag alone(String name, String help) {
    return new Flag(name, (char) 0, "", help);
  }

  Flag withLetter(char shortForm) {
    return new Flag(name, shortForm, value, help);
  }

  boolean standsAlone() {
    return value.isEmpty();
  }
}
