// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * What a key of the configuration accepts, in words for messages and as a JSON schema for editors.
 *
 * <p>Thread rule: immutable.
 *
 * @param expected what it accepts
 * @param schema the same as a JSON schema, with the keys of all its maps in alphabetical order: the
 *     schema that is shipped has the same bytes in every build
 * @param parent whether it is a map of other keys, and of which kind
 */
public record KeyRule(String expected, Map<String, Object> schema, Parent parent) {

  /** The kinds of maps. */
  public enum Parent {
    /** A single value or a list. */
    NONE,
    /** A map of known keys. */
    SECTION,
    /** A map whose keys are names that the user chooses. */
    NAMED
  }

  public KeyRule {
    schema = sorted(schema);
  }

  public static final KeyRule TEXT = of("text", Map.of("type", "string"));
  public static final KeyRule FLAG = of("true or false", Map.of("type", "boolean"));
  public static final KeyRule FREE = of("a map", Map.of("type", "object"));
  public static final KeyRule SECTION =
      new KeyRule("a map", Map.of("type", "object"), Parent.SECTION);
  public static final KeyRule NAMED =
      new KeyRule("a map of names", Map.of("type", "object"), Parent.NAMED);

  /** The form of the keys of a map of names, in its schema. */
  public static final String NAMES = "propertyNames";

  private static final Map<Duration, String> DURATION_EXAMPLES =
      new TreeMap<>(
          Map.of(
              Duration.ofMillis(500),
              "500ms",
              Duration.ofSeconds(15),
              "15s",
              Duration.ofSeconds(90),
              "1m30s"));

  private static final String PARTS = "(\\d+(\\.\\d+)?(h|ms|m|s|us|ns))+";
  private static final String DURATION = "^" + PARTS + "$";
  private static final String DURATION_OR_ZERO = "^(0|" + PARTS + ")$";

  private static KeyRule of(String expected, Map<String, Object> schema) {
    return new KeyRule(expected, schema, Parent.NONE);
  }

  /** A map whose keys are names of a form. */
  public static KeyRule named(Pattern form) {
    return new KeyRule(
        NAMED.expected(),
        Map.of("type", "object", NAMES, Map.of("pattern", whole(form))),
        Parent.NAMED);
  }

  public static KeyRule text(Pattern form, String expected) {
    return of(expected, form(form));
  }

  public static KeyRule texts(Pattern form, String expected, int most) {
    return of(
        "a list of at most " + most + " " + expected,
        Map.of("type", "array", "maxItems", most, "items", form(form)));
  }

  private static Map<String, Object> form(Pattern form) {
    return Map.of("type", "string", "pattern", whole(form));
  }

  private static String whole(Pattern form) {
    return "^(" + form.pattern() + ")$";
  }

  public static KeyRule powerOfTwo(int max) {
    List<Integer> powers =
        IntStream.iterate(1, power -> power <= max, power -> 2 * power).boxed().toList();
    return of("a power of two up to " + max, Map.of("enum", powers));
  }

  public static KeyRule integer(int min, int max) {
    return of(
        "a whole number from " + min + " to " + max,
        Map.of("type", "integer", "minimum", min, "maximum", max));
  }

  public static KeyRule number(double min, double max) {
    return of(
        "a number from %s to %s".formatted(plain(min), plain(max)),
        Map.of("type", "number", "minimum", min, "maximum", max));
  }

  public static KeyRule duration(Duration min) {
    Map<String, Object> text =
        Map.of("type", "string", "pattern", min.isZero() ? DURATION_OR_ZERO : DURATION);
    return of(
        (min.isZero() ? "a duration" : "a duration of at least " + min.toMillis() + "ms")
            + examples(min),
        min.isZero() ? Map.of("anyOf", List.of(Map.of("const", 0), text)) : text);
  }

  /** Returns those examples that are accepted. */
  private static String examples(Duration min) {
    List<String> accepted =
        DURATION_EXAMPLES.entrySet().stream()
            .filter(example -> example.getKey().compareTo(min) >= 0)
            .map(example -> '"' + example.getValue() + '"')
            .toList();
    String first = String.join(", ", accepted.subList(0, accepted.size() - 1));
    return " such as "
        + (first.isEmpty() ? "" : first + " or ")
        + accepted.getLast()
        + (min.isZero() ? ", or 0" : "");
  }

  public static KeyRule word(List<String> words) {
    return of("one of " + String.join(", ", words), Map.of("enum", words));
  }

  private static Map<String, Object> sorted(Map<String, Object> map) {
    Map<String, Object> sorted = new TreeMap<>();
    map.forEach((key, value) -> sorted.put(key, sorted(value)));
    return Collections.unmodifiableMap(sorted);
  }

  private static Object sorted(Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        Map<String, Object> copy = new TreeMap<>();
        map.forEach((key, inner) -> copy.put(String.valueOf(key), inner));
        yield sorted(copy);
      }
      case List<?> list -> list.stream().map(KeyRule::sorted).toList();
      default -> value;
    };
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }
}
