// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Encoder of JSON lines with the keys of controller-runtime: ts, level, logger, msg. */
final class JsonEncoder extends LineEncoder {

  private static final Set<String> OWN_KEYS = Set.of("ts", "level", "logger", "msg");

  @Override
  void write(ILoggingEvent event, StringBuilder line) {
    line.append("{\"ts\":\"").append(event.getInstant()).append("\",\"level\":\"");
    line.append(event.getLevel().levelStr.toLowerCase(Locale.ROOT)).append('"');
    pair(line, "logger", event.getLoggerName());
    pair(line, "msg", cut(event.getFormattedMessage(), MAX_TEXT));
    pairs(event, line);
    line.append('}');
  }

  @Override
  Set<String> ownKeys() {
    return OWN_KEYS;
  }

  @Override
  void pair(StringBuilder line, String key, @Nullable Object value) {
    line.append(',');
    quoted(line, key);
    line.append(':');
    switch (value) {
      case null -> line.append("null");
      case Boolean flag -> line.append(flag);
      case Integer number -> line.append(number);
      case Long number -> line.append(number);
      default -> quoted(line, value.toString());
    }
  }
}
