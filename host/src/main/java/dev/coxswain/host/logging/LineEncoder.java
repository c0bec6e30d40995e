// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** Writes an event as one line; what the line looks like is up to the subclass. */
abstract class LineEncoder extends EncoderBase<ILoggingEvent> {

  private static final byte[] NOTHING = new byte[0];
  private static final String HIDDEN = "[hidden]";

  abstract void write(ILoggingEvent event, StringBuilder line);

  abstract void pair(StringBuilder line, String key, @Nullable Object value);

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

  /** Adds the pairs of the event, its error, and at the level of errors where that came from. */
  final void pairs(ILoggingEvent event, StringBuilder line) {
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        pair(line, pair.key, isSecret(pair.key) ? HIDDEN : pair.value);
      }
    }
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      String message = thrown.getMessage();
      pair(
          line,
          "error",
          message == null ? thrown.getClassName() : thrown.getClassName() + ": " + message);
      if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
        pair(line, "stacktrace", ThrowableProxyUtil.asString(thrown));
      }
    }
  }

  /** A last line of defence: nothing that is named like a secret is ever written. */
  private static boolean isSecret(String key) {
    String word = key.toLowerCase(Locale.ROOT);
    return word.contains("password")
        || word.contains("authorization")
        || word.contains("secretvalue")
        || word.endsWith("token");
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
          if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029) {
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
