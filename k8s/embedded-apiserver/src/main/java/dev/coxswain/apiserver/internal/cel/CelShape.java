// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.coxswain.apiserver.internal.json.Json;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What expressions may do with a value of a structural schema: its type, and the value itself. Fields of which the
 * schema does not say the type do not exist for expressions, as in the real server. Immutable, any thread.
 *
 * @param type the declared type
 * @param fields what an object may have, by the name in JSON
 * @param element what list items or map values are, null for anything
 */
record CelShape(CelType type, Map<String, CelShape> fields, @Nullable CelShape element) {
  /** Words of the language; fields with such names have a second one. */
  private static final Set<String> RESERVED =
      Set.copyOf(
          Json.words(
              """
              true false null in as break const continue else for function if import let loop package namespace return
              var void while
              """));

  /** A value of which nothing is known. */
  static final CelShape DYN = new CelShape(SimpleType.DYN, Map.of(), null);

  private static final JsonNode TEXT = Json.object().put("type", "string");

  /**
   * Reads a schema; null when expressions cannot use its values.
   *
   * @param name the name of the type, for messages
   * @param resource whether the value is a whole object, which has a name and a kind whatever the schema says
   */
  static @Nullable CelShape of(JsonNode schema, String name, boolean resource) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return DYN;
    }
    String type = resource ? "object" : Json.text(schema, "type");
    return switch (type) {
      case "array" -> {
        CelShape items = child(schema.path("items"), name + ".@idx");
        yield items == null ? null : new CelShape(ListType.create(items.type), Map.of(), items);
      }
      case "object" -> object(schema, name, resource);
      case "string" -> plain(textType(Json.text(schema, "format")));
      case "boolean" -> plain(SimpleType.BOOL);
      case "number" -> plain(SimpleType.DOUBLE);
      case "integer" -> plain(SimpleType.INT);
      default -> null;
    };
  }

  private static @Nullable CelShape child(JsonNode schema, String name) {
    return of(schema, name, schema.path("x-kubernetes-embedded-resource").asBoolean());
  }

  private static CelShape plain(CelType type) {
    return new CelShape(type, Map.of(), null);
  }

  private static CelType textType(String format) {
    return switch (format) {
      case "byte" -> SimpleType.BYTES;
      case "duration" -> SimpleType.DURATION;
      case "date", "date-time" -> SimpleType.TIMESTAMP;
      default -> SimpleType.STRING;
    };
  }

  private static @Nullable CelShape object(JsonNode schema, String name, boolean resource) {
    JsonNode additional = schema.path("additionalProperties");
    if (additional.isObject()) {
      CelShape values = child(additional, name + ".@elem");
      return values == null
          ? null
          : new CelShape(MapType.create(SimpleType.STRING, values.type), Map.of(), values);
    }
    Map<String, JsonNode> given = new LinkedHashMap<>();
    schema.path("properties").properties().forEach(e -> given.put(e.getKey(), e.getValue()));
    if (resource) {
      given.put("apiVersion", TEXT);
      given.put("kind", TEXT);
      JsonNode names = Json.object().<ObjectNode>set("name", TEXT).set("generateName", TEXT);
      given.put("metadata", Json.object().put("type", "object").set("properties", names));
    }
    Map<String, CelShape> fields = new LinkedHashMap<>();
    Map<String, CelType> types = new HashMap<>();
    given.forEach((field, part) -> {
      CelShape shape = child(part, name + "." + field);
      if (shape != null) {
        fields.put(field, shape);
        types.put(escape(field), shape.type);
        if (RESERVED.contains(field)) {
          types.put(field, shape.type);
        }
      }
    });
    ImmutableMap<String, CelType> declared = ImmutableMap.copyOf(types);
    CelType type =
        StructType.create(name, declared.keySet(), f -> Optional.ofNullable(declared.get(f)));
    return new CelShape(type, fields, null);
  }

  /** A name of a field as expressions write it. */
  static String escape(String field) {
    if (RESERVED.contains(field)) {
      return "__" + field + "__";
    }
    return field
        .replace("__", "__underscores__")
        .replace(".", "__dot__")
        .replace("-", "__dash__")
        .replace("/", "__slash__");
  }

  /** Returns this type for a value that may be absent. */
  CelShape optional() {
    return new CelShape(OptionalType.create(type), fields, element);
  }

  /** Returns the object types in these shapes. */
  static CelTypeProvider provider(Collection<CelShape> shapes) {
    Map<String, CelType> found = new LinkedHashMap<>();
    shapes.forEach(shape -> shape.collect(found));
    ImmutableMap<String, CelType> types = ImmutableMap.copyOf(found);
    return new CelTypeProvider() {
      @Override
      public ImmutableCollection<CelType> types() {
        return types.values();
      }

      @Override
      public Optional<CelType> findType(String name) {
        return Optional.ofNullable(types.get(name));
      }
    };
  }

  private void collect(Map<String, CelType> types) {
    if (type instanceof StructType) {
      types.put(type.name(), type);
    }
    fields.values().forEach(field -> field.collect(types));
    if (element != null) {
      element.collect(types);
    }
  }

  /** Returns the value as functions and operators use it; of another type when it is not what the schema says. */
  Object value(JsonNode json) {
    if (json.isObject()) {
      Map<String, Object> map = new LinkedHashMap<>();
      boolean struct = type instanceof StructType;
      for (Map.Entry<String, JsonNode> e : json.properties()) {
        CelShape shape = struct ? fields.getOrDefault(e.getKey(), DYN) : items();
        Object value = shape.value(e.getValue());
        map.put(struct ? escape(e.getKey()) : e.getKey(), value);
        if (struct && RESERVED.contains(e.getKey())) {
          map.put(e.getKey(), value);
        }
      }
      return map;
    }
    if (json.isArray()) {
      List<Object> list = new ArrayList<>();
      json.forEach(item -> list.add(items().value(item)));
      return list;
    }
    if (json.isNull() || json.isMissingNode()) {
      return NullValue.NULL_VALUE;
    }
    if (json.isBoolean()) {
      return json.booleanValue();
    }
    if (json.isNumber()) {
      boolean whole = json.isIntegralNumber() && !type.equals(SimpleType.DOUBLE);
      return whole || type.equals(SimpleType.INT) ? (Object) json.longValue() : json.doubleValue();
    }
    return text(json.textValue());
  }

  private CelShape items() {
    return element == null ? DYN : element;
  }

  private Object text(String text) {
    try {
      return switch (type.kind()) {
        case BYTES -> CelByteString.of(Base64.getDecoder().decode(text));
        case DURATION -> GoDurations.parse(text);
        case TIMESTAMP -> time(text);
        default -> text;
      };
    } catch (IllegalArgumentException | DateTimeException e) {
      return text; // refused for its format; whatever uses it fails
    }
  }

  private static Instant time(String text) {
    return text.length() <= "2000-01-01".length()
        ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
        : OffsetDateTime.parse(text).toInstant();
  }

  /** Returns the class of the values of a type. */
  static Class<?> javaType(CelType type) {
    return switch (type.kind()) {
      case BOOL -> Boolean.class;
      case INT -> Long.class;
      case DOUBLE -> Double.class;
      case STRING -> String.class;
      case BYTES -> CelByteString.class;
      case DURATION -> Duration.class;
      case TIMESTAMP -> Instant.class;
      case LIST -> List.class;
      case MAP -> Map.class;
      case OPAQUE -> OpaqueTypes.classOf(type);
      default -> Object.class;
    };
  }
}
