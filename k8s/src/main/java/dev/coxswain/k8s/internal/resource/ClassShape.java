// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.JsonElement;
import com.google.gson.annotations.JsonAdapter;
import com.google.gson.annotations.SerializedName;
import dev.coxswain.k8s.schema.Schema;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON members that a class declares, as Gson maps them.
 *
 * @param type the type; null when it is not known
 * @param listKeys the declared keys of the elements when it is a list; empty for none
 */
record ClassShape(@Nullable Type type, List<String> listKeys) {

  static final ClassShape UNKNOWN = new ClassShape(null, List.of());

  static ClassShape of(@Nullable Type type) {
    return type == null ? UNKNOWN : new ClassShape(type, List.of());
  }

  /** Returns the shape of a member; unknown when the class does not declare it. */
  ClassShape member(String name) {
    Class<?> raw = raw();
    if (raw == null) {
      return UNKNOWN;
    }
    if (Map.class.isAssignableFrom(raw)) {
      return argument(1);
    }
    Field field = field(raw, name);
    if (field == null) {
      return UNKNOWN;
    }
    Schema schema = field.getAnnotation(Schema.class);
    List<String> keys = schema == null ? List.of() : List.of(schema.listMapKeys());
    return new ClassShape(field.getGenericType(), keys);
  }

  /** Returns the shape of the elements of a list. */
  ClassShape element() {
    if (type instanceof GenericArrayType array) {
      return of(array.getGenericComponentType());
    }
    Class<?> raw = raw();
    if (raw == null) {
      return UNKNOWN;
    }
    if (raw.isArray()) {
      return of(raw.getComponentType());
    }
    return Collection.class.isAssignableFrom(raw) ? argument(0) : UNKNOWN;
  }

  /** Returns whether objects of this type cannot have a member: it is a class without such a field. */
  boolean lacks(String name) {
    Class<?> raw = raw();
    return raw != null
        && !raw.getName().startsWith("java.")
        && !Map.class.isAssignableFrom(raw)
        && !JsonElement.class.isAssignableFrom(raw)
        && !raw.isAnnotationPresent(JsonAdapter.class)
        && field(raw, name) == null;
  }

  private static @Nullable Field field(Class<?> raw, String name) {
    for (Class<?> at = raw; at != null; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())
            && !Modifier.isTransient(field.getModifiers())
            && isNamed(field, name)) {
          return field;
        }
      }
    }
    return null;
  }

  private static boolean isNamed(Field field, String name) {
    SerializedName given = field.getAnnotation(SerializedName.class);
    return given == null
        ? field.getName().equals(name)
        : given.value().equals(name) || Arrays.asList(given.alternate()).contains(name);
  }

  private ClassShape argument(int index) {
    return type instanceof ParameterizedType given && given.getActualTypeArguments().length > index
        ? of(given.getActualTypeArguments()[index])
        : UNKNOWN;
  }

  private @Nullable Class<?> raw() {
    return switch (type) {
      case Class<?> given -> given;
      case ParameterizedType given -> (Class<?>) given.getRawType();
      case null, default -> null;
    };
  }
}
