// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.fault.InvalidFaultException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Typed access to the fields of a fault, every mistake named; confined to one thread. */
final class FaultFields {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

  private final JsonNode body;
  private final Set<String> unread = new LinkedHashSet<>();

  private FaultFields(JsonNode body) {
    this.body = body;
    body.fieldNames().forEachRemaining(unread::add);
  }

  static FaultFields of(JsonNode body) {
    if (!body.isObject()) {
      throw new InvalidFaultException("body", "must be a JSON object");
    }
    return new FaultFields(body);
  }

  private @Nullable JsonNode take(String field) {
    unread.remove(field);
    JsonNode value = body.get(field);
    return value == null || value.isNull() ? null : value;
  }

  String text(String field, String otherwise) {
    JsonNode value = take(field);
    if (value == null) {
      return otherwise;
    }
    if (!value.isTextual()) {
      throw new InvalidFaultException(field, "must be a string, is " + value);
    }
    return value.textValue();
  }

  /** Returns one of two words; the first is the default. */
  String choice(String field, String first, String second) {
    String value = text(field, first);
    if (!value.equals(first) && !value.equals(second)) {
      throw new InvalidFaultException(
          field, "must be " + first + " or " + second + ", is \"" + value + "\"");
    }
    return value;
  }

  List<String> texts(String field) {
    JsonNode value = take(field);
    List<String> texts = new ArrayList<>();
    if (value == null) {
      return texts;
    }
    if (!value.isArray()) {
      throw new InvalidFaultException(field, "must be a list of strings, is " + value);
    }
    for (JsonNode item : value) {
      if (!item.isTextual() || item.textValue().isEmpty()) {
        throw new InvalidFaultException(field, "must be a list of strings, has " + item);
      }
      texts.add(item.textValue());
    }
    return texts;
  }

  int number(String field, int otherwise) {
    JsonNode value = take(field);
    if (value == null) {
      return otherwise;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw new InvalidFaultException(field, "must be a whole number, is " + value);
    }
    return value.intValue();
  }

  long bigNumber(String field, long otherwise) {
    JsonNode value = take(field);
    if (value == null) {
      return otherwise;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new InvalidFaultException(field, "must be a whole number, is " + value);
    }
    return value.longValue();
  }

  double fraction(String field, double otherwise) {
    JsonNode value = take(field);
    if (value == null) {
      return otherwise;
    }
    if (!value.isNumber()) {
      throw new InvalidFaultException(field, "must be a number, is " + value);
    }
    return value.doubleValue();
  }

  /** Reads a duration, as in {@code 250ms}, {@code 10s}, {@code 2m} or {@code 1h}. */
  Duration duration(String field, Duration otherwise) {
    JsonNode value = take(field);
    if (value == null) {
      return otherwise;
    }
    Matcher matcher = DURATION.matcher(value.isTextual() ? value.textValue() : "");
    if (!matcher.matches()) {
      throw new InvalidFaultException(
          field, "must be a duration as in \"250ms\", \"10s\", \"2m\" or \"1h\", is " + value);
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  /** Throws when a field was given that nothing asked for. */
  void requireAllRead(String subject) {
    if (!unread.isEmpty()) {
      throw new InvalidFaultException(unread.iterator().next(), "is not a field of " + subject);
    }
  }

  /** Prints a duration as {@link #duration} reads it, in whole milliseconds at least. */
  static String print(Duration duration) {
    long millis = duration.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
