// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.schema.Schema;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The structural schemas of Java types, by the fields that Gson writes.
 *
 * <p>Thread rule: one thread.
 */
final class TypeSchemas {

  /** The fields that the server checks itself. */
  static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");

  /** The classes around the present field, to find those that contain themselves. */
  private final Deque<Class<?>> around = new ArrayDeque<>();

  private final Deque<String> path = new ArrayDeque<>();

  /** Returns the schema of a resource class: its fields but those that every object has. */
  JsonObject root(Class<?> type) {
    path.addLast(type.getSimpleName());
    return object(type, true);
  }

  static String text(JsonObject schema, String member) {
    JsonElement value = schema.get(member);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }

  private JsonObject object(Class<?> type, boolean root) {
    if (around.contains(type)) {
      throw failure("contains itself, which a schema cannot; use @Schema(anyJson = true)");
    }
    around.push(type);
    JsonObject schema = plain("object");
    JsonObject properties = new JsonObject();
    JsonArray required = new JsonArray();
    for (Field field : fields(type)) {
      String name = name(field);
      if (root && OF_EVERY_OBJECT.contains(name)) {
        continue;
      }
      Schema asked = field.getAnnotation(Schema.class);
      path.addLast(name);
      properties.add(name, field(field.getGenericType(), asked));
      path.removeLast();
      if (asked != null && asked.required()) {
        required.add(name);
      }
    }
    around.pop();
    Schema ofType = type.getAnnotation(Schema.class);
    if (ofType != null) {
      describe(schema, ofType);
      Constraints.addRules(schema, ofType);
    }
    if (!properties.isEmpty()) {
      schema.add("properties", properties);
    }
    if (!required.isEmpty()) {
      schema.add("required", required);
    }
    return schema;
  }

  private JsonObject field(Type type, @Nullable Schema asked) {
    if (asked == null) {
      return of(type);
    }
    JsonObject schema = asked.anyJson() ? anyJson() : of(type);
    describe(schema, asked);
    try {
      Constraints.add(schema, asked);
    } catch (IllegalArgumentException e) {
      throw failure(String.valueOf(e.getMessage()));
    }
    return schema;
  }

  private static void describe(JsonObject schema, Schema asked) {
    if (!asked.description().isEmpty()) {
      schema.addProperty("description", asked.description());
    }
  }

  private JsonObject of(Type type) {
    if (type instanceof ParameterizedType parameterized
        && parameterized.getRawType() instanceof Class<?> raw) {
      return generic(raw, parameterized.getActualTypeArguments());
    }
    if (!(type instanceof Class<?> known)) {
      throw failure("the type " + type + " is not known before run time; name a class");
    }
    if (known == byte[].class) {
      return formatted("string", "byte");
    }
    if (known.isArray()) {
      return list(known.getComponentType());
    }
    if (known == Object.class || JsonElement.class.isAssignableFrom(known)) {
      return anyJson();
    }
    if (known.isEnum()) {
      return enumeration(known);
    }
    JsonObject scalar = scalar(known);
    if (scalar != null) {
      return scalar;
    }
    if (Collection.class.isAssignableFrom(known) || Map.class.isAssignableFrom(known)) {
      throw failure("the items of the raw type " + known.getSimpleName() + " are not known");
    }
    if (known == V1ObjectMeta.class) {
      // As in pod templates: the server does not check the metadata of embedded objects either.
      return anyObject();
    }
    if (known.getName().startsWith("java.") || known.isInterface()) {
      throw failure("no schema is known for " + known.getName());
    }
    return object(known, false);
  }

  private static @Nullable JsonObject scalar(Class<?> type) {
    if (type == String.class || type == Character.class || type == char.class) {
      return plain("string");
    }
    if (type == boolean.class || type == Boolean.class) {
      return plain("boolean");
    }
    if (type == int.class || type == Integer.class) {
      return formatted("integer", "int32");
    }
    if (type == long.class || type == Long.class) {
      return formatted("integer", "int64");
    }
    if (type == short.class
        || type == Short.class
        || type == byte.class
        || type == Byte.class
        || type == BigInteger.class) {
      return plain("integer");
    }
    if (type == double.class || type == Double.class) {
      return formatted("number", "double");
    }
    if (type == float.class || type == Float.class) {
      return formatted("number", "float");
    }
    if (type == BigDecimal.class) {
      return plain("number");
    }
    if (type == OffsetDateTime.class) {
      return formatted("string", "date-time");
    }
    if (type == LocalDate.class) {
      return formatted("string", "date");
    }
    return type == IntOrString.class || type == Quantity.class ? intOrString() : null;
  }

  private JsonObject generic(Class<?> raw, Type[] arguments) {
    if (Collection.class.isAssignableFrom(raw) && arguments.length == 1) {
      return list(arguments[0]);
    }
    if (Map.class.isAssignableFrom(raw) && arguments.length == 2) {
      if (arguments[0] != String.class) {
        throw failure("the keys of a map are texts, not " + arguments[0].getTypeName());
      }
      if (arguments[1] == Object.class) {
        return anyObject();
      }
      JsonObject schema = plain("object");
      path.addLast("*");
      schema.add("additionalProperties", of(arguments[1]));
      path.removeLast();
      return schema;
    }
    throw failure("no schema is known for the generic type " + raw.getName());
  }

  private JsonObject list(Type items) {
    JsonObject schema = plain("array");
    path.addLast("[]");
    schema.add("items", of(items));
    path.removeLast();
    return schema;
  }

  private static JsonObject enumeration(Class<?> type) {
    JsonObject schema = plain("string");
    JsonArray names = new JsonArray();
    for (Field field : type.getDeclaredFields()) {
      if (field.isEnumConstant()) {
        names.add(name(field));
      }
    }
    schema.add("enum", names);
    return schema;
  }

  private static JsonObject intOrString() {
    JsonObject schema = new JsonObject();
    JsonArray any = new JsonArray();
    any.add(plain("integer"));
    any.add(plain("string"));
    schema.add("anyOf", any);
    schema.addProperty("x-kubernetes-int-or-string", true);
    return schema;
  }

  private static JsonObject anyJson() {
    JsonObject schema = new JsonObject();
    schema.addProperty("x-kubernetes-preserve-unknown-fields", true);
    return schema;
  }

  private static JsonObject anyObject() {
    JsonObject schema = plain("object");
    schema.addProperty("x-kubernetes-preserve-unknown-fields", true);
    return schema;
  }

  private static JsonObject plain(String type) {
    JsonObject schema = new JsonObject();
    schema.addProperty("type", type);
    return schema;
  }

  private static JsonObject formatted(String type, String format) {
    JsonObject schema = plain(type);
    schema.addProperty("format", format);
    return schema;
  }

  /** The fields that Gson writes: neither static nor transient, those of base classes first. */
  private static List<Field> fields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    Class<?> base = type.getSuperclass();
    if (base != null
        && base != Object.class
        && base != Record.class
        && base != CustomObject.class) {
      fields.addAll(fields(base));
    }
    for (Field field : type.getDeclaredFields()) {
      int modifiers = field.getModifiers();
      if (!Modifier.isStatic(modifiers)
          && !Modifier.isTransient(modifiers)
          && !field.isSynthetic()) {
        fields.add(field);
      }
    }
    return fields;
  }

  private static String name(Field field) {
    SerializedName written = field.getAnnotation(SerializedName.class);
    return written == null ? field.getName() : written.value();
  }

  private IllegalArgumentException failure(String problem) {
    return new IllegalArgumentException(String.join(".", path) + ": " + problem);
  }
}
