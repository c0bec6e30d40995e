// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import java.util.List;

/**
 * A flag of a command.
 *
 * @param name with its dashes, such as {@code --namespace}
 * @param letter the short form without its dash, or 0
 * @param value the placeholder for its value in the help; empty for a flag without a value
 * @param help its description in the help
 * @param choices the allowed values; empty when any text is allowed
 * @param repeatable whether it may be given more than once
 */
public record Flag(
    String name, char letter, String value, String help, List<String> choices, boolean repeatable) {

  /** Returns a flag with a value. */
  public static Flag of(String name, String value, String help) {
    return new Flag(name, (char) 0, value, help, List.of(), false);
  }

  /** Returns a flag without a value. */
  public static Flag alone(String name, String help) {
    return of(name, "", help);
  }

  public Flag withLetter(char shortForm) {
    return new Flag(name, shortForm, value, help, choices, repeatable);
  }

  public Flag withChoices(List<String> values) {
    return new Flag(name, letter, value, help, values, repeatable);
  }

  public Flag repeated() {
    return new Flag(name, letter, value, help, choices, true);
  }

  public boolean standsAlone() {
    return value.isEmpty();
  }
}
