// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Encoder of text lines: time, level, message, then {@code key=value} pairs. */
final class TextEncoder extends LineEncoder {

  private static final Set<String> OWN_KEYS = Set.of("logger");

  @Override
  void write(ILoggingEvent event, StringBuilder line) {
    line.append(event.getInstant().truncatedTo(ChronoUnit.MILLIS))
        .append(' ')
        .append(event.getLevel())
        .append(event.getLevel().levelStr.length() < Level.ERROR.levelStr.length() ? "  " : " ");
    plain(line, cut(event.getFormattedMessage(), MAX_TEXT));
    pair(line, "logger", event.getLoggerName());
    pairs(event, line);
  }

  @Override
  Set<String> ownKeys() {
    return OWN_KEYS;
  }

  @Override
  void pair(StringBuilder line, String key, @Nullable Object value) {
    line.append(' ');
    word(line, key);
    line.append('=');
    word(line, String.valueOf(value));
  }

  private static void word(StringBuilder line, String text) {
    if (isWord(text)) {
      line.append(text);
    } else {
      quoted(line, text);
    }
  }

  private static void plain(StringBuilder line, String message) {
    for (int i = 0; i < message.length(); i++) {
      char c = message.charAt(i);
      line.append(isHidden(c) ? ' ' : c);
    }
  }

  private static boolean isWord(String text) {
    if (text.isEmpty()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c > '~') {
        return false;
      }
    }
    return true;
  }
}
