// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** Encoder of events as lines; subclasses define the format. */
abstract class LineEncoder extends EncoderBase<ILoggingEvent> {

  private static final byte[] NOTHING = new byte[0];
  private static final String HIDDEN = "[hidden]";
  private static final String ERROR = "error";
  private static final String STACK = "stacktrace";

  /** The most characters of a message, of the value of a pair, and of the message of an error. */
  static final int MAX_TEXT = 8 * 1024;

  /** The most characters of a stack trace, with the messages of its causes. */
  static final int MAX_STACK = 32 * 1024;

  /** The length of a line at which further pairs are omitted. */
  private static final int MAX_LINE = 64 * 1024;

  private static final int MAX_KEY = 256;

  abstract void write(ILoggingEvent event, StringBuilder line);

  abstract void pair(StringBuilder line, String key, @Nullable Object value);

  /** Returns the keys that {@link #write} gives a line before its pairs. */
  abstract Set<String> ownKeys();

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(256);
    write(event, line);
    return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a text, shortened when it is too long. */
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end) + "... (" + text.length() + " characters, cut)";
  }

  /**
   * Adds the attempt for which this thread works, the pairs of the event, its error, and at level
   * error the stack trace. Keys are unique on a line: a repeated one is numbered.
   */
  final void pairs(ILoggingEvent event, StringBuilder line) {
    Set<String> used = new HashSet<>(ownKeys());
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      used.add(ERROR);
      used.add(STACK);
    }
    Map<String, Object> attempt = attempt();
    attempt.forEach((key, value) -> ofUser(line, key, value, used));
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        if (!String.valueOf(pair.value).equals(text(attempt.get(pair.key)))) {
          ofUser(line, pair.key, pair.value, used);
        }
      }
    }
    if (thrown != null) {
      String message = thrown.getMessage();
      pair(
          line,
          ERROR,
          message == null
              ? thrown.getClassName()
              : thrown.getClassName() + ": " + cut(message, MAX_TEXT));
      if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
        pair(line, STACK, cut(ThrowableProxyUtil.asString(thrown), MAX_STACK));
      }
    }
  }

  /** Adds a pair whose key and value may be anything, unless the line is too long already. */
  private void ofUser(StringBuilder line, String name, @Nullable Object value, Set<String> used) {
    if (line.length() < MAX_LINE) {
      String key = cut(name, MAX_KEY);
      pair(line, unique(key, used), isSecret(key) ? HIDDEN : value(value));
    }
  }

  /** Returns what identifies the attempt for which this thread works; empty outside of attempts. */
  private static Map<String, Object> attempt() {
    return CurrentAttempt.get().map(ReconcileContext::logFields).orElse(Map.of());
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }

  private static String unique(String key, Set<String> used) {
    String name = key;
    for (int i = 2; !used.add(name); i++) {
      name = key + "_" + i;
    }
    return name;
  }

  /** Returns a value, shortened when it is too long. */
  private static @Nullable Object value(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Number number -> number;
      case Boolean flag -> flag;
      case Duration duration -> Durations.rounded(duration);
      case Instant time -> time.truncatedTo(ChronoUnit.MILLIS);
      default -> cut(value.toString(), MAX_TEXT);
    };
  }

  /** Returns whether a key is named like a secret; its value is never written. */
  private static boolean isSecret(String key) {
    String word = key.toLowerCase(Locale.ROOT);
    return word.contains("password")
        || word.contains("authorization")
        || word.contains("secretvalue")
        || word.endsWith("token");
  }

  /**
   * Returns whether a character changes how a line is shown instead of being shown: controls, ends of
   * lines, and formats such as those that reverse the direction of what follows.
   */
  static boolean isHidden(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  /** Appends text between quotes, on one line and without control characters. */
  static void quoted(StringBuilder line, String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> line.append("\\\"");
        case '\\' -> line.append("\\\\");
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> {
          if (isHidden(c)) {
            line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }
}
