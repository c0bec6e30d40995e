// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.cli;

import java.util.List;

/**
 * A flag that a command knows.
 *
 * @param name with its dashes, such as {@code --namespace}
 * @param letter the short form without its dash, or 0
 * @param value what to call its value in the help; empty for a flag that stands alone
 * @param help what it does, for the help
 * @param choices values that it may have, as far as they are known beforehand
 */
public record Flag(String name, char letter, String value, String help, List<String> choices) {

  /** A flag that needs a value. */
  public static Flag of(String name, String value, String help) {
    return new Flag(name, (char) 0, value, help, List.of());
  }

  /** A flag that stands alone. */
  public static Flag alone(String name, String help) {
    return new Flag(name, (char) 0, "", help, List.of());
  }

  public Flag withLetter(char shortForm) {
    return new Flag(name, shortForm, value, help, choices);
  }

  public Flag withChoices(List<String> values) {
    return new Flag(name, letter, value, help, values);
  }

  public boolean standsAlone() {
    return value.isEmpty();
  }
}
