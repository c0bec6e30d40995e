// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The most that any caller may do, for all rights.
 *
 * <p>Thread rule: immutable.
 */
public enum AccessLevel {
  /** Nothing. */
  NONE,
  /** Reads. */
  READ_ONLY,
  /** Everything except removing pending work. */
  NO_DESTRUCTIVE,
  /** Everything. */
  FULL;

  /** Returns whether this level includes a verb. */
  public boolean allows(Verb verb) {
    return switch (verb.effect()) {
      case READ -> this != NONE;
      case CHANGE -> this == NO_DESTRUCTIVE || this == FULL;
      case DESTRUCTIVE -> this == FULL;
    };
  }

  /** Returns the name in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the level with a name, or empty. */
  public static Optional<AccessLevel> of(String label) {
    return Arrays.stream(values()).filter(level -> level.label().equals(label)).findFirst();
  }
}
