// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import dev.coxswain.internal.loop.ClassNames;
import org.jspecify.annotations.Nullable;

/**
 * The texts of failures of plug-ins.
 *
 * <p>Thread rule: stateless.
 */
final class PluginErrors {

  /** The limit of a text. */
  private static final int MAX_LENGTH = 1000;

  /** The limit of causes that are named. */
  private static final int MAX_CAUSES = 4;

  private PluginErrors() {}

  /** Returns a failure with its causes in one line; a message that throws is left out. */
  static String text(Throwable failure) {
    StringBuilder text = new StringBuilder();
    @Nullable Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      String one = one(cause);
      // Most wrappers repeat the message of their cause.
      if (text.indexOf(one) < 0) {
        text.append(text.isEmpty() ? "" : ": ").append(one);
      }
      cause = cause.getCause();
    }
    String line = text.toString().replaceAll("\\s+", " ").strip();
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "...";
  }

  private static String one(Throwable failure) {
    if (failure instanceof PluginException) {
      return String.valueOf(failure.getMessage());
    }
    return ClassNames.describe(failure);
  }
}
