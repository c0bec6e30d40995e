// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.config;

import static java.util.Objects.requireNonNullElse;

import dev.coxswain.internal.time.Durations;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a record from the maps, lists, strings, numbers and booleans of a configuration. Messages
 * have the path of the key and what was expected; they have no texts of the configuration, which
 * may be secret, but for words and durations.
 *
 * <p>Thread rule: any thread.
 */
public final class RecordReader {

  private static final String ROOT = "config";

  private RecordReader() {}

  /**
   * Returns a record with the values of a configuration in place of its own.
   *
   * @throws IllegalArgumentException when a key is unknown, a value has another type, or the record
   *     refuses its values
   */
  public static <T extends Record> T read(T defaults, Map<String, ?> config) {
    @SuppressWarnings("unchecked") // the class of an instance of T
    Class<T> type = (Class<T>) defaults.getClass();
    return type.cast(read(ROOT, type, defaults, config));
  }

  /** Returns the value of a component. */
  public static @Nullable Object valueOf(RecordComponent component, Record record) {
    var accessor = component.getAccessor();
    accessor.setAccessible(true); // the records of authors are rarely public
    try {
      return accessor.invoke(record);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalArgumentException(component + " cannot be read", e);
    }
  }

  /** Returns the words of an enum in a configuration, such as {@code maxOf}, in their order. */
  public static List<String> words(Class<?> type) {
    return Arrays.stream(type.getEnumConstants()).map(word -> camel((Enum<?>) word)).toList();
  }

  /** Returns the type of the elements of a list, or of the values of a map with texts as keys. */
  public static Type elementOf(ParameterizedType type) {
    Type[] arguments = type.getActualTypeArguments();
    return arguments[arguments.length - 1];
  }

  private static Record read(
      String path, Class<?> type, @Nullable Record defaults, Map<?, ?> values) {
    RecordComponent[] components = type.getRecordComponents();
    requireKnown(path, components, values);
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] arguments = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      types[i] = component.getType();
      String at = path + "." + component.getName();
      Object value = values.get(component.getName());
      Object otherwise = defaults == null ? null : valueOf(component, defaults);
      if (value != null) {
        arguments[i] = convert(at, component.getGenericType(), otherwise, value);
      } else if (defaults == null) {
        throw new IllegalArgumentException(at + ": missing, expected " + expected(types[i]));
      } else {
        arguments[i] = otherwise;
      }
    }
    return create(path, type, types, arguments);
  }

  private static void requireKnown(String path, RecordComponent[] components, Map<?, ?> values) {
    TreeSet<String> known =
        Arrays.stream(components)
            .map(RecordComponent::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    for (Object key : values.keySet()) {
      if (!known.contains(String.valueOf(key))) {
        throw new IllegalArgumentException(
            "%s.%s: unknown key, known: %s".formatted(path, key, String.join(", ", known)));
      }
    }
  }

  private static Record create(
      String path, Class<?> type, Class<?>[] types, @Nullable Object[] arguments) {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return (Record) constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      Throwable refusal = requireNonNullElse(e.getCause(), e);
      throw new IllegalArgumentException(
          path + ": " + requireNonNullElse(refusal.getMessage(), refusal.toString()), refusal);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(type + " cannot be created", e);
    }
  }

  private static Object convert(String path, Type type, @Nullable Object otherwise, Object value) {
    if (type instanceof ParameterizedType generic) {
      if (generic.getRawType() == List.class && value instanceof List<?> list) {
        List<Object> all = new ArrayList<>();
        for (Object element : list) {
          all.add(element(path + "[" + all.size() + "]", elementOf(generic), element));
        }
        return List.copyOf(all);
      }
      if (generic.getRawType() == Map.class && value instanceof Map<?, ?> map) {
        Map<String, Object> all = new LinkedHashMap<>();
        map.forEach((key, element) ->
            all.put(String.valueOf(key), element(path + "." + key, elementOf(generic), element)));
        return all;
      }
      throw wrong(path, generic.getRawType(), value);
    }
    if (!(type instanceof Class<?> simple)) {
      throw new IllegalArgumentException(path + ": a configuration has no values of " + type);
    }
    if (simple.isRecord() && value instanceof Map<?, ?> map) {
      return read(path, simple, (Record) otherwise, map);
    }
    Object converted = scalar(simple, value);
    if (converted == null) {
      throw wrong(path, simple, value);
    }
    return converted;
  }

  private static Object element(String path, Type type, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(path + ": expected a value");
    }
    return convert(path, type, null, value);
  }

  private static @Nullable Object scalar(Class<?> type, Object value) {
    if (type == String.class) {
      return value instanceof String ? value : null;
    } else if (type == boolean.class || type == Boolean.class) {
      return value instanceof Boolean ? value : null;
    } else if (type == int.class || type == Integer.class) {
      Long whole = whole(value);
      return whole == null || whole != whole.intValue() ? null : Integer.valueOf(whole.intValue());
    } else if (type == long.class || type == Long.class) {
      return whole(value);
    } else if (type == double.class || type == Double.class) {
      return value instanceof Number number ? Double.valueOf(number.doubleValue()) : null;
    } else if (type == Duration.class) {
      return Durations.parse(value.toString()).orElse(null);
    } else if (type.isEnum()) {
      int index = words(type).indexOf(value.toString());
      return index < 0 ? null : type.getEnumConstants()[index];
    }
    return type == Object.class ? value : null;
  }

  /** Returns a whole number, also one in the notation that Helm writes large ones in: 1e+06. */
  private static @Nullable Long whole(Object value) {
    return value instanceof Number number && number.doubleValue() == number.longValue()
        ? Long.valueOf(number.longValue())
        : null;
  }

  private static IllegalArgumentException wrong(String path, Type type, Object value) {
    return new IllegalArgumentException(
        "%s: expected %s, found %s".formatted(path, expected(type), found(type, value)));
  }

  private static String expected(Type type) {
    if (type == String.class) {
      return "a text, in quotes if it looks like a number";
    } else if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    } else if (type == int.class || type == Integer.class) {
      return "a whole number";
    } else if (type == long.class || type == Long.class) {
      return "a whole number";
    } else if (type == double.class || type == Double.class) {
      return "a number";
    } else if (type == Duration.class) {
      return "a duration such as 500ms, 30s or 1h30m";
    } else if (type == List.class) {
      return "a list";
    } else if (type instanceof Class<?> word && word.isEnum()) {
      return "one of " + String.join(", ", words(word));
    } else if (type == Map.class || (type instanceof Class<?> map && map.isRecord())) {
      return "a map";
    }
    throw new IllegalArgumentException("a configuration has no values of " + type);
  }

  private static String found(Type type, Object value) {
    if (type == Duration.class || (type instanceof Class<?> word && word.isEnum())) {
      return "\"" + value + "\"";
    }
    return switch (value) {
      case String _ -> "a text";
      case Boolean flag -> flag.toString();
      case Number number -> number.toString();
      case List<?> _ -> "a list";
      default -> "a map";
    };
  }

  private static String camel(Enum<?> constant) {
    String[] parts = constant.name().toLowerCase(Locale.ROOT).split("_");
    StringBuilder word = new StringBuilder(parts[0]);
    for (String part : Arrays.asList(parts).subList(1, parts.length)) {
      word.append(part.substring(0, 1).toUpperCase(Locale.ROOT)).append(part.substring(1));
    }
    return word.toString();
  }
}
