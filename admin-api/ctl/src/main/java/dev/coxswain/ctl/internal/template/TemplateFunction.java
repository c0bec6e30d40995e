// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A function of templates: those of Go that are used with kubectl, and kubectl's own. */
enum TemplateFunction {
  INDEX(1, Integer.MAX_VALUE),
  LEN(1, 1),
  PRINTF(1, Integer.MAX_VALUE),
  PRINT(0, Integer.MAX_VALUE),
  PRINTLN(0, Integer.MAX_VALUE),
  EQ(1, Integer.MAX_VALUE),
  NE(2, 2),
  LT(2, 2),
  LE(2, 2),
  GT(2, 2),
  GE(2, 2),
  AND(1, Integer.MAX_VALUE),
  OR(1, Integer.MAX_VALUE),
  NOT(1, 1),
  EXISTS(1, Integer.MAX_VALUE),
  BASE64DECODE(1, 1);

  static final Map<String, TemplateFunction> BY_NAME = new TreeMap<>();

  static {
    for (TemplateFunction each : values()) {
      BY_NAME.put(each.name().toLowerCase(Locale.ROOT), each);
    }
  }

  private final int least;
  private final int most;

  TemplateFunction(int least, int most) {
    this.least = least;
    this.most = most;
  }

  private String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  void checkCount(int at, int count) {
    if (count < least || count > most) {
      throw new TemplateException(
          at,
          "%s needs %s%s argument%s, found %s"
              .formatted(
                  title(), most > least ? "at least " : "", least, least == 1 ? "" : "s", count));
    }
  }

  /** Returns whether an argument is the value of the call, whatever the others are. */
  boolean ends(@Nullable Object argument) {
    return (this == AND && GoValue.isEmpty(argument)) || (this == OR && !GoValue.isEmpty(argument));
  }

  /** Returns whether the last argument is the value when none {@link #ends} the call. */
  boolean isLazy() {
    return this == AND || this == OR;
  }

  /** Returns the value of a call. */
  @Nullable Object of(int at, List<@Nullable Object> arguments) {
    Object first = arguments.isEmpty() ? null : arguments.getFirst();
    return switch (this) {
      case INDEX -> index(at, arguments);
      case LEN -> length(at, first);
      case PRINTF -> {
        if (!(first instanceof String format)) {
          throw new TemplateException(
              at, "printf needs a text as its first argument, found " + GoValue.text(first));
        }
        yield GoFormat.printf(at, format, arguments.subList(1, arguments.size()));
      }
      case PRINT -> print(at, arguments);
      case PRINTLN -> println(at, arguments);
      case EQ -> {
        if (arguments.size() == 1) {
          throw new TemplateException(at, "eq needs at least 2 arguments, found 1");
        }
        boolean equal = false;
        for (Object other : arguments.subList(1, arguments.size())) {
          equal |= !equal && equal(at, first, other);
        }
        yield equal;
      }
      case NE -> !equal(at, first, arguments.get(1));
      case LT -> compared(at, first, arguments.get(1)) < 0;
      case LE -> compared(at, first, arguments.get(1)) <= 0;
      case GT -> compared(at, first, arguments.get(1)) > 0;
      case GE -> compared(at, first, arguments.get(1)) >= 0;
      case NOT -> GoValue.isEmpty(first);
      case EXISTS -> exists(arguments);
      case BASE64DECODE -> decoded(at, first);
      case AND, OR -> throw new IllegalStateException("is lazy");
    };
  }

  private static Object index(int at, List<@Nullable Object> arguments) {
    Object value = arguments.getFirst();
    if (arguments.size() == 1 && value != null) {
      return value;
    }
    for (Object key : arguments.subList(1, arguments.size())) {
      value = element(at, value, key);
    }
    if (value == null && arguments.size() == 1) {
      throw new TemplateException(at, "index of nothing");
    }
    return value == null ? GoValue.MISSING : value;
  }

  private static @Nullable Object element(int at, @Nullable Object of, @Nullable Object key) {
    if (of == null || GoValue.isMissing(of)) {
      throw new TemplateException(at, "index of nothing");
    }
    if (of instanceof Map<?, ?> map) {
      if (!(key instanceof String name)) {
        throw new TemplateException(at, "a map has texts as keys, not " + GoValue.text(key));
      }
      return GoValue.of(map.get(name));
    }
    if (!(of instanceof List<?>) && !(of instanceof String)) {
      throw new TemplateException(at, GoValue.text(of) + " has no elements");
    }
    if (!(key instanceof Integer) && !(key instanceof Long)) {
      throw new TemplateException(
          at, "a list has whole numbers as indexes, not " + GoValue.text(key));
    }
    long index = ((Number) key).longValue();
    byte[] bytes = of instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : new byte[0];
    int size = of instanceof List<?> list ? list.size() : bytes.length;
    if (index < 0 || index >= size) {
      throw new TemplateException(
          at, "there is no element %s in a list of %s".formatted(index, size));
    }
    return of instanceof List<?> list
        ? GoValue.of(list.get((int) index))
        : (Object) (bytes[(int) index] & 0xff);
  }

  private static int length(int at, @Nullable Object of) {
    return switch (of) {
      case String text -> text.getBytes(StandardCharsets.UTF_8).length;
      case List<?> list -> list.size();
      case Map<?, ?> map -> map.size();
      case null -> throw new TemplateException(at, "len of nothing");
      default -> throw new TemplateException(at, "len of " + GoValue.text(of) + ", which has none");
    };
  }

  /** Returns the texts of all, with blanks between those that are no texts themselves. */
  private static String print(int at, List<@Nullable Object> arguments) {
    BoundedText text = new BoundedText(at, "print");
    for (int i = 0; i < arguments.size(); i++) {
      if (i > 0
          && !(arguments.get(i) instanceof String)
          && !(arguments.get(i - 1) instanceof String)) {
        text.append(" ");
      }
      text.append(GoValue.text(arguments.get(i)));
    }
    return text.toString();
  }

  private static String println(int at, List<@Nullable Object> arguments) {
    BoundedText text = new BoundedText(at, "println");
    for (int i = 0; i < arguments.size(); i++) {
      text.append(i > 0 ? " " : "").append(GoValue.text(arguments.get(i)));
    }
    return text.append("\n").toString();
  }

  private boolean equal(int at, @Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    if (one instanceof List
        || one instanceof Map
        || other instanceof List
        || other instanceof Map) {
      throw new TemplateException(at, title() + " compares no lists and maps");
    }
    return order(at, one, other) == 0;
  }

  private int compared(int at, @Nullable Object one, @Nullable Object other) {
    for (Object each : Arrays.asList(one, other)) {
      if (!(each instanceof Number) && !(each instanceof String)) {
        throw new TemplateException(
            at, title() + " compares numbers and texts, not " + GoValue.text(each));
      }
    }
    return order(at, requireNonNull(one), requireNonNull(other));
  }

  private int order(int at, Object one, Object other) {
    if (one instanceof String text && other instanceof String second) {
      return Arrays.compareUnsigned(
          text.getBytes(StandardCharsets.UTF_8), second.getBytes(StandardCharsets.UTF_8));
    }
    if (one instanceof Boolean flag && other instanceof Boolean second) {
      return Boolean.compare(flag, second);
    }
    if (one instanceof Double number && other instanceof Double second) {
      return number < second ? -1 : number > second ? 1 : 0;
    }
    if (one instanceof Number number
        && other instanceof Number second
        && !(one instanceof Double)
        && !(other instanceof Double)) {
      return Long.compare(number.longValue(), second.longValue());
    }
    throw new TemplateException(
        at,
        "%s compares values of one type, not %s and %s%s"
            .formatted(
                title(),
                GoValue.type(one),
                GoValue.type(other),
                one instanceof Number && other instanceof Number ? "; write 1.0 for 1" : ""));
  }

  private static boolean exists(List<@Nullable Object> arguments) {
    Object value = arguments.getFirst();
    for (Object key : arguments.subList(1, arguments.size())) {
      if (value instanceof Map<?, ?> map && key instanceof String) {
        value = map.get(key);
      } else if (value instanceof List<?> list
          && (key instanceof Integer || key instanceof Long)
          && ((Number) key).longValue() >= 0
          && ((Number) key).longValue() < list.size()) {
        value = list.get(((Number) key).intValue());
      } else {
        return false;
      }
    }
    return value != null;
  }

  private static String decoded(int at, @Nullable Object value) {
    if (!(value instanceof String text)) {
      throw new TemplateException(at, "base64decode needs a text, found " + GoValue.text(value));
    }
    try {
      return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new TemplateException(at, "base64decode: this is no base64");
    }
  }
}
