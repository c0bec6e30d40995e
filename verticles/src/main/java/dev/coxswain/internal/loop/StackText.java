// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import org.jspecify.annotations.Nullable;

/**
 * The stack trace of an exception as text: classes and frames, without messages, because failures
 * of other requests share it. Shortened to a fixed number of frames, causes and characters.
 *
 * <p>Thread rule: any thread.
 */
public final class StackText {
  static final int MAX_FRAMES = 32;
  public static final int MAX_CAUSES = 4;
  public static final int MAX_LENGTH = 8_192;

  private static final int MAX_NAME = 256;

  private StackText() {}

  public static String of(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    try {
      Throwable next = thrown;
      for (int i = 0; next != null && i <= MAX_CAUSES && text.length() < MAX_LENGTH; i++) {
        text.append(i == 0 ? "" : "Caused by: ")
            .append(cut(next.getClass().getName()))
            .append('\n');
        frames(next.getStackTrace(), text);
        next = next.getCause();
      }
      if (next != null) {
        text.append("... more causes\n");
      }
    } catch (Throwable e) {
      text.append("\t(the exception does not show its stack trace)\n"); // user code, overridden
    }
    if (text.length() > MAX_LENGTH) {
      text.setLength(MAX_LENGTH);
    }
    return text.toString().stripTrailing();
  }

  private static void frames(StackTraceElement[] frames, StringBuilder text) {
    int shown = Math.min(frames.length, MAX_FRAMES);
    for (int i = 0; i < shown; i++) {
      text.append("\tat ").append(cut(String.valueOf(frames[i]))).append('\n');
    }
    if (frames.length > shown) {
      text.append("\t... ").append(frames.length - shown).append(" more\n");
    }
  }

  private static String cut(@Nullable String text) {
    String full = String.valueOf(text);
    return full.length() > MAX_NAME ? full.substring(0, MAX_NAME) : full;
  }
}
