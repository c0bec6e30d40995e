// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Quantities;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Converts a tree to the form of its schema: unknown fields out, nulls and (for built-in types)
 * empty lists and maps out, times normalised. One use, one thread.
 */
public final class Decoder {
  /** The fields of built-in kinds that may have more than 32 bits. */
  private static final Set<String> INT64 =
      Set.of(
          "activeDeadlineSeconds",
          "capacity",
          "deletionGracePeriodSeconds",
          "expirationSeconds",
          "fsGroup",
          "generation",
          "gid",
          "gracePeriodSeconds",
          "observedGeneration",
          "remainingItemCount",
          "revision",
          "runAsGroup",
          "runAsUser",
          "seconds",
          "sizeBytes",
          "start",
          "startingDeadlineSeconds",
          "supplementalGroups",
          "terminationGracePeriodSeconds",
          "tolerationSeconds",
          "uid",
          "values");

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'");
  private static final Pattern MICRO_TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.(\\d+))?(.*)");
  private static final int MICRO_DIGITS = 6;
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

  /** Fields that Go prints even when they are empty. */
  private static final List<String> KEEP_NULL = List.of("eventTime");

  private static final String BASE64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  private final String kind;
  private final TreeSet<String> unknown = new TreeSet<>();

  /** Fields from the top down to here, and the type that the last of them belongs to. */
  private final ArrayDeque<String> fields = new ArrayDeque<>();

  private String owner = "";

  /** Starts a decoding; {@code kind} is for messages. */
  public Decoder(String kind) {
    this.kind = kind;
  }

  /** Paths of the fields that were dropped, sorted. */
  public List<String> unknown() {
    return new ArrayList<>(unknown);
  }

  /**
   * Changes {@code object} in place; throws {@link DecodeException} when a built-in field has the
   * wrong type.
   */
  public void decode(ObjectNode object, Schema schema) {
    object(object, schema, "");
  }

  private void object(ObjectNode object, Schema schema, String path) {
    List<String> drop = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      String name = entry.getKey();
      String here = path.isEmpty() ? name : path + "." + name;
      if (path.isEmpty() && (name.equals("apiVersion") || name.equals("kind"))) {
        continue;
      }
      if (schema.embedded() && (name.equals("apiVersion") || name.equals("kind"))) {
        continue;
      }
      if (schema.embedded() && name.equals("metadata")) {
        if (entry.getValue() instanceof ObjectNode metadata) {
          object(metadata, TypeTable.type("ObjectMeta"), here);
        }
        continue;
      }
      if (!schema.hasField(name)) {
        unknown.add(here);
        drop.add(name);
        continue;
      }
      Schema field = schema.field(name);
      JsonNode value = entry.getValue();
      if (value.isNull()) {
        if (!field.custom()
            && schema.type() == Schema.Type.MAP
            && field.type() == Schema.Type.TEXT) {
          entry.setValue(Json.text("")); // the zero value of Go
          continue;
        }
        // Custom resources keep nulls until defaults are applied; see Defaults.
        if (!field.custom() && !KEEP_NULL.contains(name) && !schema.preserveUnknown()) {
          drop.add(name);
        }
        continue;
      }
      String outer = owner;
      boolean struct = schema.type() == Schema.Type.OBJECT;
      if (struct) {
        owner = schema.reference() == null ? outer : schema.reference();
        fields.addLast(name);
      }
      JsonNode decoded = value(value, field, here);
      if (struct) {
        fields.removeLast();
        owner = outer;
      }
      if (!field.custom() && schema.type() == Schema.Type.OBJECT && empty(decoded, field)) {
        drop.add(name);
      } else {
        entry.setValue(decoded);
      }
    }
    object.remove(drop);
  }

  private static boolean empty(JsonNode value, Schema schema) {
    return (schema.type() == Schema.Type.LIST || schema.type() == Schema.Type.MAP)
        && value.isContainerNode()
        && value.isEmpty();
  }

  private JsonNode value(JsonNode value, Schema schema, String path) {
    switch (schema.type()) {
      case OBJECT, MAP -> {
        if (value instanceof ObjectNode object) {
          object(object, schema, path);
        } else {
          mismatch(value, schema);
        }
      }
      case LIST -> {
        if (value instanceof ArrayNode array) {
          list(array, schema.items(), path);
        } else {
          mismatch(value, schema);
        }
      }
      case TEXT -> {
        check(value.isTextual(), value, schema);
        if (schema.base64()) {
          bytes(value.asText());
        }
      }
      case INTEGER -> {
        check(value.isIntegralNumber(), value, schema);
        if (schema.custom() && value.isNumber() && !value.isIntegralNumber()) {
          return whole(value);
        }
        if (!schema.custom() && !isLong() && value.isNumber() && !value.canConvertToInt()) {
          mismatch(value, schema);
        }
      }
      case NUMBER -> {
        check(value.isNumber(), value, schema);
        if (schema.custom() && value.isNumber() && !value.isIntegralNumber()) {
          return whole(value);
        }
      }
      case BOOLEAN -> check(value.isBoolean(), value, schema);
      case INT_OR_TEXT -> {
        check(value.isNumber() || value.isTextual(), value, schema);
        if (schema.quantity()) {
          String canonical = Quantities.canonical(value.asText().strip());
          if (canonical == null) {
            throw new DecodeException(Quantities.MALFORMED);
          }
          return Json.text(canonical);
        }
      }
      case TIME -> {
        return time(value, schema, path, SECONDS);
      }
      case MICRO_TIME -> {
        return time(value, schema, path, MICROS);
      }
      case ANY -> {}
    }
    return value;
  }

  /** Names the first place that is no Base64, as the real decoder does. */
  private static void bytes(String text) {
    int start = 0; // of four signs that belong together
    int count = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n' || c == '\r') {
        continue;
      }
      if (c == '=' && count >= 2) {
        boolean last = count == 3 ? i + 1 == text.length() : text.substring(i).equals("==");
        if (last) {
          return;
        }
        throw illegal(count == 3 ? i + 1 : i);
      }
      if (c > 'z' || BASE64.indexOf(c) < 0) {
        throw illegal(i);
      }
      count = (count + 1) % 4;
      start = count == 0 ? i + 1 : start;
    }
    if (count != 0) {
      throw illegal(start);
    }
  }

  private static DecodeException illegal(int at) {
    return new DecodeException("illegal base64 data at input byte " + at);
  }

  private void list(ArrayNode array, Schema items, String path) {
    int i = 0;
    for (Iterator<JsonNode> it = array.elements(); it.hasNext(); i++) {
      JsonNode item = it.next();
      if (!item.isNull()) {
        array.set(i, value(item, items, path + "[" + i + "]"));
      }
    }
  }

  private JsonNode time(JsonNode value, Schema schema, String path, DateTimeFormatter format) {
    check(value.isTextual(), value, schema);
    if (schema.type() == Schema.Type.MICRO_TIME) {
      microseconds(value.textValue());
    }
    try {
      OffsetDateTime time =
          OffsetDateTime.parse(value.textValue()).withOffsetSameInstant(ZoneOffset.UTC);
      return Json.text(format.format(time.truncatedTo(ChronoUnit.MICROS)));
    } catch (DateTimeException e) {
      throw new DecodeException(
          "parsing time \"%s\" as \"2006-01-02T15:04:05Z07:00\": cannot parse (field %s)"
              .formatted(value.textValue(), path));
    }
  }

  /** The real server reads exactly six digits of a second here, unlike in other times. */
  private static void microseconds(String text) {
    Matcher matcher = MICRO_TIME.matcher(text);
    String digits = matcher.matches() ? Objects.requireNonNullElse(matcher.group(1), "") : "";
    if (matcher.matches() && digits.length() != MICRO_DIGITS) {
      boolean more = digits.length() > MICRO_DIGITS;
      throw new DecodeException(
          "parsing time \"%s\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"%s\" as \"%s\""
              .formatted(
                  text,
                  more
                      ? digits.substring(MICRO_DIGITS) + matcher.group(2)
                      : text.substring("2006-01-02T15:04:05".length()),
                  more ? "Z07:00" : ".000000"));
    }
  }

  private void check(boolean ok, JsonNode value, Schema schema) {
    if (!ok) {
      mismatch(value, schema);
    }
  }

  private void mismatch(JsonNode value, Schema schema) {
    if (schema.custom()) {
      return; // validation words it
    }
    String found = Json.goType(value);
    if (value.isNumber() && schema.type() == Schema.Type.INTEGER) {
      found = "number " + value.asText();
    }
    throw new DecodeException(
        "json: cannot unmarshal %s into Go struct field %s.%s of type %s"
            .formatted(
                found, owner.isEmpty() ? kind : owner, String.join(".", fields), goType(schema)));
  }

  /** Like the real server, stores 3.0 as 3. */
  private static JsonNode whole(JsonNode value) {
    BigDecimal number = value.decimalValue();
    boolean integral =
        number.stripTrailingZeros().scale() <= 0
            && number.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
    return integral ? LongNode.valueOf(number.longValueExact()) : value;
  }

  private boolean isLong() {
    return !fields.isEmpty() && INT64.contains(fields.getLast());
  }

  private String goType(Schema schema) {
    return switch (schema.type()) {
      case OBJECT -> "v1." + schema.reference();
      case MAP -> "map[string]" + goType(schema.field(""));
      case LIST -> "[]" + goType(schema.items());
      case INTEGER -> isLong() ? "int64" : "int32";
      case NUMBER -> "float64";
      case BOOLEAN -> "bool";
      case TEXT, INT_OR_TEXT, TIME, MICRO_TIME, ANY -> "string";
    };
  }

  /** A built-in field had the wrong type; the message is for the client. */
  public static final class DecodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DecodeException(String message) {
      super(message, null, false, false);
    }
  }
}
