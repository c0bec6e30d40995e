// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.internal.config.RecordReader;
import dev.coxswain.internal.time.Durations;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an author's controllers in a chart: a part of the schema of its values, and
 * the defaults in comments.
 *
 * <p>Thread rule: stateless.
 */
final class ConfigSchema {

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();
  private static final String TYPE = "type";
  private static final String DURATION = "^(\\d+(\\.\\d+)?(h|ms|m|s|us|ns))+$";

  private ConfigSchema() {}

  /** Returns a schema of values in which these controllers have these keys and no others. */
  static String in(String schema, Map<String, Record> configs) {
    JsonObject all = JsonParser.parseString(schema).getAsJsonObject();
    JsonObject controllers = at(all, "definitions", "config", "properties", "controllers");
    JsonObject named = new JsonObject();
    configs.forEach((name, defaults) -> {
      JsonObject settings = at(controllers, "additionalProperties").deepCopy();
      at(settings, "properties").add("config", of(defaults.getClass(), defaults, Set.of()));
      named.add(name, settings);
    });
    if (!named.isEmpty()) {
      controllers.add("properties", named);
    }
    return GSON.toJson(all) + "\n";
  }

  /** Returns the defaults as a value of the chart, in comments; empty when there are none. */
  static String inValues(Map<String, Record> configs) {
    JsonObject values = new JsonObject();
    values.add("config", defaults(configs));
    return comments(configs, values);
  }

  /** Returns the defaults as a part of the configuration, in comments; empty when there are none. */
  static String inConfiguration(Map<String, Record> configs) {
    return comments(configs, defaults(configs));
  }

  private static JsonObject defaults(Map<String, Record> configs) {
    JsonObject controllers = new JsonObject();
    configs.forEach((name, defaults) -> {
      JsonObject config = new JsonObject();
      config.add("config", value(defaults));
      controllers.add(name, config);
    });
    JsonObject all = new JsonObject();
    all.add("controllers", controllers);
    return all;
  }

  private static String comments(Map<String, Record> configs, JsonObject defaults) {
    return configs.isEmpty()
        ? ""
        : "# The keys of the controllers, with their defaults:\n"
            + CrdYaml.write(defaults).strip().replaceAll("(?m)^", "# ")
            + "\n";
  }

  private static JsonObject at(JsonObject object, String... path) {
    JsonObject at = object;
    for (String key : path) {
      at = at.getAsJsonObject(key);
    }
    return at;
  }

  /**
   * Returns the schema of a record.
   *
   * @param outer the records that it is a part of; inside of itself it is any map, as a schema has no end otherwise
   */
  private static JsonObject of(Class<?> type, @Nullable Record defaults, Set<Class<?>> outer) {
    if (outer.contains(type)) {
      return typed("object");
    }
    Set<Class<?>> open = new HashSet<>(outer);
    open.add(type);
    JsonObject properties = new JsonObject();
    JsonArray required = new JsonArray();
    for (RecordComponent component : type.getRecordComponents()) {
      Object value = defaults == null ? null : RecordReader.valueOf(component, defaults);
      JsonObject schema =
          component.getType().isRecord()
              ? of(component.getType(), (Record) value, open)
              : of(component.getGenericType(), open);
      if (defaults == null) {
        required.add(component.getName());
      } else {
        optional(schema);
        if (value != null && !component.getType().isRecord()) {
          schema.add("default", value(value));
        }
      }
      properties.add(component.getName(), schema);
    }
    JsonObject schema = typed("object");
    schema.addProperty("additionalProperties", false);
    schema.add("properties", properties);
    if (!required.isEmpty()) {
      schema.add("required", required);
    }
    return schema;
  }

  /** A null in the values is the default, as in the configuration. */
  private static void optional(JsonObject schema) {
    if (schema.has("enum")) {
      schema.getAsJsonArray("enum").add(JsonNull.INSTANCE);
    } else if (schema.has("anyOf")) {
      schema.getAsJsonArray("anyOf").add(typed("null"));
    } else if (schema.has(TYPE)) {
      JsonArray types = new JsonArray();
      types.add(schema.get(TYPE));
      types.add("null");
      schema.add(TYPE, types);
    }
  }

  private static JsonObject of(Type type, Set<Class<?>> open) {
    if (type instanceof ParameterizedType generic) {
      boolean list = generic.getRawType() == List.class;
      JsonObject schema = typed(list ? "array" : "object");
      schema.add(
          list ? "items" : "additionalProperties", of(RecordReader.elementOf(generic), open));
      return schema;
    }
    if (type == String.class) {
      return typed("string");
    } else if (type == boolean.class || type == Boolean.class) {
      return typed("boolean");
    } else if (type == int.class
        || type == Integer.class
        || type == long.class
        || type == Long.class) {
      return typed("integer");
    } else if (type == double.class || type == Double.class) {
      return typed("number");
    } else if (type == Duration.class) {
      return duration();
    } else if (type instanceof Class<?> word && word.isEnum()) {
      JsonArray words = new JsonArray();
      RecordReader.words(word).forEach(words::add);
      JsonObject schema = new JsonObject();
      schema.add("enum", words);
      return schema;
    } else if (type instanceof Class<?> record && record.isRecord()) {
      return of(record, null, open);
    }
    return new JsonObject(); // any value
  }

  private static JsonObject duration() {
    JsonObject zero = new JsonObject();
    zero.addProperty("const", 0);
    JsonObject text = typed("string");
    text.addProperty("pattern", DURATION);
    JsonArray either = new JsonArray();
    either.add(zero);
    either.add(text);
    JsonObject schema = new JsonObject();
    schema.add("anyOf", either);
    return schema;
  }

  private static JsonObject typed(String type) {
    JsonObject schema = new JsonObject();
    schema.addProperty(TYPE, type);
    return schema;
  }

  private static JsonElement value(@Nullable Object value) {
    return switch (value) {
      case null -> JsonNull.INSTANCE;
      case String text -> new JsonPrimitive(text);
      case Number number -> new JsonPrimitive(number);
      case Boolean flag -> new JsonPrimitive(flag);
      case Duration duration -> new JsonPrimitive(Durations.text(duration));
      case Enum<?> word ->
          new JsonPrimitive(RecordReader.words(word.getDeclaringClass()).get(word.ordinal()));
      case List<?> list -> {
        JsonArray array = new JsonArray();
        list.forEach(element -> array.add(value(element)));
        yield array;
      }
      case Map<?, ?> map -> {
        JsonObject object = new JsonObject();
        map.forEach((key, element) -> object.add(String.valueOf(key), value(element)));
        yield object;
      }
      case Record record -> {
        JsonObject object = new JsonObject();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
          object.add(component.getName(), value(RecordReader.valueOf(component, record)));
        }
        yield object;
      }
      default -> new JsonPrimitive(value.toString());
    };
  }
}
