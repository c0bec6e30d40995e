// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A record of numbers, enum constants, words without semicolons, and {@code long[]}, as one line of
 * text: what a measured process reports. Depends on the JDK only.
 */
public final class RecordCodec {
  private RecordCodec() {}

  /** Returns the components, with semicolons between. */
  public static String line(Record report) {
    try {
      StringJoiner line = new StringJoiner(";");
      for (RecordComponent component : report.getClass().getRecordComponents()) {
        component.getAccessor().setAccessible(true);
        Object value = component.getAccessor().invoke(report);
        line.add(
            value instanceof long[] numbers
                ? LongStream.of(numbers).mapToObj(Long::toString).collect(Collectors.joining(","))
                : value.toString());
      }
      return line.toString();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("not readable: " + report, e);
    }
  }

  /** Returns the record that a line was made of. */
  public static <R extends Record> R parse(Class<R> type, String line) {
    RecordComponent[] components = type.getRecordComponents();
    String[] parts = line.split(";", -1);
    if (parts.length != components.length) {
      throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + line);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Object[] values = new Object[parts.length];
    for (int i = 0; i < parts.length; i++) {
      values[i] = value(types[i], parts[i]);
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + line, e);
    }
  }

  private static Object value(Class<?> type, String text) {
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .filter(constant -> ((Enum<?>) constant).name().equals(text))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("unknown: " + text));
    }
    if (type == String.class) {
      return text;
    }
    if (type == long[].class) {
      return text.isEmpty()
          ? new long[0]
          : Arrays.stream(text.split(",", -1)).mapToLong(Long::parseLong).toArray();
    }
    return switch (type.getName()) {
      case "int" -> Integer.parseInt(text);
      case "long" -> Long.parseLong(text);
      case "double" -> Double.parseDouble(text);
      default -> throw new IllegalArgumentException("unknown type " + type);
    };
  }
}
