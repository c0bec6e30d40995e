// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.apiserver.fault.InvalidFaultException;
import dev.coxswain.apiserver.internal.json.Json;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Faults as JSON; any thread. */
public final class FaultJson {
  private static final String KINDS =
      "closeWatches, silenceWatches, slowWatches, dropEvents, compactHistory, fail, latency,"
          + " refuseConnections, pause, starting, unknownFields, cutConnections";

  private FaultJson() {}

  /** Reads a fault; throws {@link InvalidFaultException} naming the field that is wrong. */
  public static Fault parse(JsonNode body) {
    FaultFields fields = FaultFields.of(body);
    Effect effect = effect(fields);
    FaultFilter filter =
        new FaultFilter(
            Set.copyOf(fields.texts("verbs")),
            Set.copyOf(fields.texts("resources")),
            fields.text("path", ""));
    Fault fault =
        new Fault(
            effect, filter, fields.number("count", 0), fields.duration("duration", Duration.ZERO));
    fields.requireAllRead("kind " + effect.kind());
    return fault;
  }

  private static Effect effect(FaultFields fields) {
    String kind = fields.text("kind", "");
    return switch (kind) {
      case "closeWatches" -> new Effect.CloseWatches();
      case "silenceWatches" -> new Effect.SilenceWatches();
      case "slowWatches" -> new Effect.SlowWatches(fields.number("bytesPerSecond", 0));
      case "dropEvents" ->
          new Effect.DropEvents(fields.fraction("share", 1), fields.bigNumber("seed", 0));
      case "compactHistory" ->
          new Effect.CompactHistory(
              fields.choice("openWatches", "keep", "expire").equals("expire"),
              fields.choice("answer", "event", "status").equals("status"));
      case "fail" ->
          new Effect.Fail(
              fields.number("status", 0),
              fields.duration("retryAfter", Duration.ZERO),
              fields.fraction("share", 1),
              fields.bigNumber("seed", 0));
      case "latency" -> new Effect.Latency(fields.duration("delay", Duration.ZERO));
      case "refuseConnections" ->
          new Effect.RefuseConnections(
              fields.choice("mode", "closed", "reset").equals("reset")
                  ? Effect.RefuseMode.RESET
                  : Effect.RefuseMode.CLOSED);
      case "pause" -> new Effect.Pause();
      case "unknownFields" -> new Effect.UnknownFields();
      case "starting" -> new Effect.Starting();
      case "cutConnections" -> new Effect.CutConnections();
      default ->
          throw new InvalidFaultException(
              "kind",
              (kind.isEmpty() ? "is missing" : "\"" + kind + "\" is not known")
                  + ", expected one of "
                  + KINDS);
    };
  }

  /** Prints a fault with what it has done. */
  public static ObjectNode print(ActiveFault active) {
    Fault fault = active.fault();
    ObjectNode json = Json.object().put("id", active.id()).put("kind", fault.effect().kind());
    switch (fault.effect()) {
      case Effect.SlowWatches e -> json.put("bytesPerSecond", e.bytesPerSecond());
      case Effect.DropEvents e -> json.put("share", e.share()).put("seed", e.seed());
      case Effect.CompactHistory e ->
          json.put("openWatches", e.expireOpen() ? "expire" : "keep")
              .put("answer", e.answerStatus() ? "status" : "event");
      case Effect.Fail e -> {
        json.put("status", e.status());
        if (!e.retryAfter().isZero()) {
          json.put("retryAfter", FaultFields.print(e.retryAfter()));
        }
        json.put("share", e.share()).put("seed", e.seed());
      }
      case Effect.Latency e -> json.put("delay", FaultFields.print(e.delay()));
      case Effect.RefuseConnections e -> json.put("mode", e.mode().name().toLowerCase(Locale.ROOT));
      case Effect.CloseWatches e -> {}
      case Effect.SilenceWatches e -> {}
      case Effect.Pause e -> {}
      case Effect.UnknownFields e -> {}
      case Effect.Starting e -> {}
      case Effect.CutConnections e -> {}
    }
    FaultFilter filter = fault.filter();
    if (!filter.verbs().isEmpty()) {
      filter.verbs().stream().sorted().forEach(json.putArray("verbs")::add);
    }
    if (!filter.resources().isEmpty()) {
      filter.resources().stream().sorted().forEach(json.putArray("resources")::add);
    }
    if (!filter.path().isEmpty()) {
      json.put("path", filter.path());
    }
    if (fault.count() > 0) {
      json.put("count", fault.count());
    }
    if (!fault.duration().isZero()) {
      json.put("duration", FaultFields.print(fault.duration()));
    }
    json.put("active", active.active()).put("applied", active.applied());
    if (!active.remaining().isZero()) {
      json.put("remaining", FaultFields.print(active.remaining()));
    }
    return json;
  }

  /** Typed access to the fields of a fault, every mistake named; confined to one thread. */
  private static final class FaultFields {
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
}
