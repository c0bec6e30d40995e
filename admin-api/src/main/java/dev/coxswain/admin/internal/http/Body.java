// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Problem.Fault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of a request, read strictly: every field must be known and of the right type. All
 * faults are reported together, each with its JSON pointer.
 */
public final class Body {

  private static final int MAX_REASON = 512;

  /** The limit of reported faults, so that no body causes a large response. */
  private static final int MAX_FAULTS = 20;

  private final ObjectNode node;
  private final String pointer;
  private final Set<String> known = new HashSet<>();
  private final List<Fault> faults;
  private final List<Body> children = new ArrayList<>();

  private Body(ObjectNode node, String pointer, List<Fault> faults) {
    this.node = node;
    this.pointer = pointer;
    this.faults = faults;
  }

  public static Body parse(byte[] text) {
    JsonNode node;
    try {
      node = Json.read(text);
    } catch (StreamConstraintsException e) {
      throw Problem.invalid(
              "invalid-json",
              "the body exceeds a limit: at most "
                  + Json.MAX_DEPTH
                  + " levels and numbers of 32 digits")
          .rejection();
    } catch (JsonProcessingException e) {
      var at = e.getLocation();
      throw Problem.invalid(
              "invalid-json",
              "the body is not one well-formed JSON value"
                  + (at == null
                      ? ""
                      : ", see line " + at.getLineNr() + ", column " + at.getColumnNr()))
          .rejection();
    } catch (IOException e) {
      throw Problem.invalid("invalid-json", "the body is not text in UTF-8").rejection();
    }
    if (!(node instanceof ObjectNode object)) {
      throw Problem.invalid(
              "invalid-body",
              "the body must be a JSON object, found "
                  + (node == null ? "nothing" : kind(node))
                  + "; every change needs at least {\"reason\": \"...\"}",
              new Fault("pointer", "", "must be an object"))
          .rejection();
    }
    return of(object);
  }

  /** Returns the body of a JSON object, of which nothing has been read yet. */
  public static Body of(ObjectNode object) {
    return new Body(object, "", new ArrayList<>());
  }

  /** Returns the same JSON, of which nothing has been read yet. */
  public Body again() {
    return of(node);
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "an array";
      case BOOLEAN -> "a boolean";
      case NULL -> "null";
      case NUMBER -> "a number";
      case OBJECT -> "an object";
      default -> "a string";
    };
  }

  /** Returns a text that is equal for equal JSON, whatever its white space. */
  public String text() {
    return new String(Json.write(node), StandardCharsets.UTF_8);
  }

  /** Returns a copy of the JSON that was sent. */
  public ObjectNode tree() {
    return node.deepCopy();
  }

  public boolean has(String field) {
    return node.has(field);
  }

  /** Returns the text at a pointer, or the empty text; its faults are reported later. */
  public String peek(String at) {
    return node.at(at).textValue() == null ? "" : node.at(at).textValue();
  }

  /** Returns the JSON of a field that is not checked here; null when it is absent. */
  public @Nullable JsonNode json(String field) {
    return get(field);
  }

  /** Returns whether a field is true; its faults are reported later. */
  public boolean isTrue(String field) {
    return node.path(field).asBoolean(false);
  }

  private @Nullable JsonNode get(String field) {
    known.add(field);
    return node.get(field);
  }

  /** Returns a text, or null when it is absent or invalid. */
  public @Nullable String text(String field, int min, int max) {
    JsonNode value = get(field);
    if (value == null) {
      return null;
    }
    if (!value.isTextual()) {
      fault(field, "must be a string, found " + kind(value));
      return null;
    }
    String text = value.textValue();
    if (text.length() < min || text.length() > max) {
      fault(field, "must have " + min + " to " + max + " characters, found " + text.length());
      return null;
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      fault(field, "must not contain control characters");
      return null;
    }
    return text;
  }

  /** Returns a required text; the empty text after a fault, which is then recorded. */
  public String requiredText(String field, int max) {
    String text = text(field, 1, max);
    if (text == null && !node.has(field)) {
      fault(field, "is required");
    }
    return text == null ? "" : text;
  }

  /** Returns the reason, which every change requires. */
  public String reason() {
    String reason = requiredText("reason", MAX_REASON);
    if (!reason.isEmpty() && reason.isBlank()) {
      fault("reason", "must contain a reason, found only spaces");
    }
    return reason;
  }

  /** Returns the reason, or the empty text. */
  public String optionalReason() {
    return has("reason") ? reason() : "";
  }

  public @Nullable Boolean flag(String field) {
    JsonNode value = get(field);
    if (value == null || value.isBoolean()) {
      return value == null ? null : value.booleanValue();
    }
    fault(field, "must be true or false, found " + kind(value));
    return null;
  }

  public boolean flag(String field, boolean otherwise) {
    Boolean value = flag(field);
    return value == null ? otherwise : value;
  }

  /** Returns a whole number, or null when it is absent or invalid. */
  public @Nullable Long number(String field, long min, long max) {
    JsonNode value = get(field);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber()) {
      fault(field, "must be a whole number, found " + kind(value));
      return null;
    }
    if (!value.canConvertToLong() || value.longValue() < min || value.longValue() > max) {
      fault(field, "must be from " + min + " to " + max + ", found " + value);
      return null;
    }
    return value.longValue();
  }

  /** Returns a number, or null when it is absent or invalid. */
  public @Nullable Double decimal(String field, double min, double max) {
    JsonNode value = get(field);
    if (value == null) {
      return null;
    }
    if (!value.isNumber()) {
      fault(field, "must be a number, found " + kind(value));
      return null;
    }
    double number = value.doubleValue();
    if (!(number >= min && number <= max)) {
      fault(field, "must be from " + min + " to " + max + ", found " + value);
      return null;
    }
    return number;
  }

  public @Nullable Duration duration(String field) {
    String text = text(field, 1, 32);
    return text == null ? null : duration(field, text);
  }

  public @Nullable Duration duration(String field, String text) {
    Duration duration = Durations.parse(text).orElse(null);
    if (duration == null) {
      fault(field, "must be " + Durations.EXPECTED + ", found \"" + text + "\"");
    } else if (duration.compareTo(Durations.MAX) > 0) {
      fault(field, "must be at most " + Durations.format(Durations.MAX) + ", found " + text);
    }
    return duration;
  }

  @Nullable Instant time(String field) {
    String text = text(field, 1, 40);
    Instant time = text == null ? null : Durations.parseTime(text).orElse(null);
    if (text != null && time == null) {
      fault(field, "must be " + Durations.EXPECTED_TIME + ", found \"" + text + "\"");
    }
    return time;
  }

  /** Returns the texts of a string or of an array of strings; null when it is absent. */
  @Nullable List<String> texts(String field) {
    JsonNode value = get(field);
    if (value == null) {
      return null;
    }
    List<String> texts = new ArrayList<>();
    if (value.isTextual()) {
      texts.add(value.textValue());
    } else if (value.isArray() && !value.isEmpty()) {
      for (int i = 0; i < value.size(); i++) {
        if (value.get(i).isTextual()) {
          texts.add(value.get(i).textValue());
        } else {
          fault(field + "/" + i, "must be a string, found " + kind(value.get(i)));
        }
      }
    } else {
      fault(field, "must be a string or an array of at least one string, found " + kind(value));
    }
    return texts;
  }

  /** Returns an object, or null when it is absent or invalid. */
  public @Nullable Body object(String field) {
    JsonNode value = get(field);
    if (value == null) {
      return null;
    }
    if (!(value instanceof ObjectNode object)) {
      fault(field, "must be an object, found " + kind(value));
      return null;
    }
    Body child = new Body(object, pointer + "/" + field, faults);
    children.add(child);
    return child;
  }

  public void fault(String field, String detail) {
    if (faults.size() < MAX_FAULTS) {
      faults.add(new Fault("pointer", pointer + "/" + field, detail));
    }
  }

  /** Returns whether something in the object of a field is wrong. */
  public boolean isFaulty(String field) {
    return faults.stream().anyMatch(fault -> fault.name().startsWith(pointer + "/" + field + "/"));
  }

  /** Throws a {@link dev.coxswain.admin.internal.json.Rejection} with all faults, if there are any. */
  public void done() {
    noteUnknown();
    if (!faults.isEmpty()) {
      Fault first = faults.getFirst();
      throw Problem.invalid("invalid-body", "field \"" + first.name() + "\" " + first.detail())
          .with(List.copyOf(faults))
          .rejection();
    }
  }

  private void noteUnknown() {
    node.fieldNames()
        .forEachRemaining(field -> {
          if (!known.contains(field)) {
            // A pointer escapes its own separators (RFC 6901).
            fault(
                Json.line(field, 64).replace("~", "~0").replace("/", "~1"),
                "is unknown; use one of " + String.join(", ", known.stream().sorted().toList()));
          }
        });
    children.forEach(Body::noteUnknown);
  }
}
