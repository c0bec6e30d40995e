// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The most that anybody may do, whatever their rights are.
 *
 * <p>Thread rule: immutable.
 */
public enum AccessLevel {
  /** Nothing. */
  NONE,
  /** Look. */
  READ_ONLY,
  /** Everything but taking pending work away. */
  NO_DESTRUCTIVE,
  /** Everything. */
  FULL;

  /** Returns whether this level leaves room for a verb. */
  public boolean allows(Verb verb) {
    return switch (verb.effect()) {
      case READ -> this != NONE;
      case CHANGE -> this == NO_DESTRUCTIVE || this == FULL;
      case DESTRUCTIVE -> this == FULL;
    };
  }

  /** Returns the word that the configuration uses. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the level of a word, or empty. */
  public static Optional<AccessLevel> of(String label) {
    return Arrays.stream(values()).filter(level -> level.label().equals(label)).findFirst();
  }
}
