// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.fault.InvalidFaultException;
import dev.coxswain.apiserver.internal.json.Json;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

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

  /** Reads a field; {@code expected} describes its values. */
  private <T> T value(
      String field,
      T otherwise,
      Predicate<JsonNode> fits,
      String expected,
      Function<JsonNode, T> read) {
    unread.remove(field);
    JsonNode value = body.get(field);
    if (value == null || value.isNull()) {
      return otherwise;
    }
    if (!fits.test(value)) {
      throw new InvalidFaultException(field, "must be " + expected + ", is " + value);
    }
    return read.apply(value);
  }

  String text(String field, String otherwise) {
    return value(field, otherwise, JsonNode::isTextual, "a string", JsonNode::textValue);
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
    return value(
        field,
        List.of(),
        JsonNode::isArray,
        "a list of strings",
        list -> {
          for (JsonNode item : list) {
            if (!item.isTextual() || item.textValue().isEmpty()) {
              throw new InvalidFaultException(field, "must be a list of strings, has " + item);
            }
          }
          return Json.texts(list);
        });
  }

  int number(String field, int otherwise) {
    return value(
        field,
        otherwise,
        v -> v.isIntegralNumber() && v.canConvertToInt(),
        "a whole number",
        JsonNode::intValue);
  }

  long bigNumber(String field, long otherwise) {
    return value(
        field,
        otherwise,
        v -> v.isIntegralNumber() && v.canConvertToLong(),
        "a whole number",
        JsonNode::longValue);
  }

  double fraction(String field, double otherwise) {
    return value(field, otherwise, JsonNode::isNumber, "a number", JsonNode::doubleValue);
  }

  /** Reads a duration, as in {@code 250ms}, {@code 10s}, {@code 2m} or {@code 1h}. */
  Duration duration(String field, Duration otherwise) {
    return value(
        field,
        otherwise,
        v -> v.isTextual() && DURATION.matcher(v.textValue()).matches(),
        "a duration as in \"250ms\", \"10s\", \"2m\" or \"1h\"",
        v -> time(v.textValue()));
  }

  private static Duration time(String text) {
    return text.endsWith("ms")
        ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
        : Duration.parse("PT" + text);
  }

  /** Throws when a field was given that was not read. */
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
