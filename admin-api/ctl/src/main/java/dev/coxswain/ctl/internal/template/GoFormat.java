// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A verb of {@code printf} with its flags, as Go formats values. A value that does not fit the verb is
 * printed with its type and no error, as {@code %!d(string=a)}.
 *
 * @param flags of {@code "+-# 0"}
 * @param width the least number of characters, or 0
 * @param precision digits or characters, or -1
 */
record GoFormat(String flags, int width, int precision, char verb) {

  private static final Pattern VERB =
      Pattern.compile("%([+\\-# 0]*)(\\*|\\d*)(?:\\.(\\*|\\d*))?([^\\d.*]?)", Pattern.DOTALL);
  private static final int WIDEST = 1_000_000;
  private static final int DECIMALS = 6;

  /** Returns a value as a verb without flags formats it. */
  static String ofVerb(char verb, @Nullable Object value) {
    return new GoFormat("", 0, -1, verb).of(value, false);
  }

  /** Returns the text of a format with its arguments. */
  static String printf(int at, String format, List<@Nullable Object> arguments) {
    BoundedText text = new BoundedText(at, "printf");
    int next = 0;
    int end = 0;
    Matcher verbs = VERB.matcher(format);
    while (verbs.find(end)) {
      text.append(format.substring(end, verbs.start()));
      end = verbs.end();
      if (verbs.group(4).isEmpty()) {
        text.append("%!(NOVERB)");
        break;
      }
      int[] sizes = {0, -1};
      for (int i = 0; i < 2; i++) {
        String size = verbs.group(2 + i);
        if (size == null) {
          continue;
        }
        if (size.equals("*")) {
          boolean whole =
              next < arguments.size()
                  && (arguments.get(next) instanceof Integer
                      || arguments.get(next) instanceof Long);
          if (!whole) {
            throw new TemplateException(at, "printf: * needs a whole number");
          }
          sizes[i] = size(at, String.valueOf(arguments.get(next++)));
        } else {
          sizes[i] = size.isEmpty() ? 0 : size(at, size);
        }
      }
      char verb = verbs.group(4).charAt(0);
      if (verb == '%') {
        text.append("%");
      } else if (verb == '[' || (verb == 'v' && verbs.group(1).contains("#"))) {
        throw new TemplateException(at, "printf: " + verbs.group() + " is not supported");
      } else if (next >= arguments.size()) {
        text.append("%!" + verb + "(MISSING)");
      } else {
        text.append(
            new GoFormat(verbs.group(1), sizes[0], sizes[1], verb)
                .of(arguments.get(next++), false));
      }
    }
    text.append(format.substring(Math.min(end, format.length())));
    if (next < arguments.size()) {
      text.append(
          arguments.subList(next, arguments.size()).stream()
              .map(value ->
                  value == null ? "<nil>" : GoValue.type(value) + "=" + GoValue.text(value))
              .collect(Collectors.joining(", ", "%!(EXTRA ", ")")));
    }
    return text.toString();
  }

  private static int size(int at, String digits) {
    if (digits.length() > 7 || Math.abs(Integer.parseInt(digits)) > WIDEST) {
      throw new TemplateException(at, "printf: more than " + WIDEST + " characters for a value");
    }
    return Math.max(0, Integer.parseInt(digits));
  }

  private String of(@Nullable Object value, boolean nested) {
    if (verb == 'T' && !nested) {
      return padded(GoValue.type(value));
    }
    return switch (value) {
      case null -> nested ? "<nil>" : verb == 'v' ? padded("<nil>") : "%!" + verb + "(<nil>)";
      case Boolean flag -> verb == 't' || verb == 'v' ? padded(flag.toString()) : wrong(value);
      case String text -> ofText(text);
      case Double number -> ofDecimal(number);
      case Number number -> ofWhole(number.longValue(), value);
      case List<?> list ->
          list.stream()
              .map(each -> of(GoValue.of(each), true))
              .collect(Collectors.joining(" ", "[", "]"));
      case Map<?, ?> map ->
          GoValue.sorted(map).entrySet().stream()
              .map(each -> of(each.getKey(), true) + ":" + of(each.getValue(), true))
              .collect(Collectors.joining(" ", "map[", "]"));
      default -> throw new IllegalStateException("no value of a document: " + value);
    };
  }

  private String wrong(Object value) {
    return "%!" + verb + "(" + GoValue.type(value) + "=" + GoValue.text(value) + ")";
  }

  private String ofText(String text) {
    String cut =
        precision < 0 || precision >= text.codePointCount(0, text.length())
            ? text
            : text.substring(0, text.offsetByCodePoints(0, precision));
    return switch (verb) {
      case 'v', 's' -> padded(cut);
      case 'q' -> padded(quoted(cut, '"'));
      case 'x' -> padded(HexFormat.of().formatHex(cut.getBytes(StandardCharsets.UTF_8)));
      case 'X' ->
          padded(HexFormat.of().withUpperCase().formatHex(cut.getBytes(StandardCharsets.UTF_8)));
      default -> wrong(text);
    };
  }

  private String ofWhole(long number, Object value) {
    boolean sharp = flags.contains("#");
    return switch (verb) {
      case 'v', 'd' -> number("", Long.toString(number));
      case 'b' -> number(sharp ? "0b" : "", Long.toString(number, 2));
      case 'o' -> number(sharp ? "0" : "", Long.toString(number, 8));
      case 'x' -> number(sharp ? "0x" : "", Long.toString(number, 16));
      case 'X' -> number(sharp ? "0X" : "", Long.toString(number, 16).toUpperCase(Locale.ROOT));
      case 'c' -> padded(character(number));
      case 'q' -> padded(quoted(character(number), '\''));
      case 'U' -> padded(String.format(Locale.ROOT, "U+%04X", number));
      default -> wrong(value);
    };
  }

  private static String character(long point) {
    return Character.toString(point < 0 || point > Character.MAX_CODE_POINT ? 0xFFFD : (int) point);
  }

  private String ofDecimal(double value) {
    if (Double.isInfinite(value) && "feEFvgG".indexOf(verb) >= 0) {
      String sign = value < 0 ? "-" : flags.contains(" ") && !flags.contains("+") ? " " : "+";
      return padded(sign + "Inf");
    }
    if (Double.isInfinite(value)) {
      return wrong(value);
    }
    BigDecimal exact = new BigDecimal(value);
    return switch (verb) {
      case 'f', 'F' ->
          number(
              "",
              exact
                  .setScale(precision < 0 ? DECIMALS : precision, RoundingMode.HALF_EVEN)
                  .toPlainString());
      case 'e', 'E' -> {
        MathContext digits =
            new MathContext((precision < 0 ? DECIMALS : precision) + 1, RoundingMode.HALF_EVEN);
        BigDecimal rounded = exact.round(digits);
        int missing = digits.getPrecision() - rounded.precision();
        String text = GoValue.scientific(rounded.setScale(rounded.scale() + missing));
        yield number("", verb == 'E' ? text.toUpperCase(Locale.ROOT) : text);
      }
      case 'v', 'g', 'G' -> {
        String text =
            precision < 0
                ? GoValue.text(value)
                : GoValue.text(
                    exact
                        .round(new MathContext(Math.max(1, precision), RoundingMode.HALF_EVEN))
                        .doubleValue(),
                    Math.max(1, precision));
        yield number("", verb == 'G' ? text.toUpperCase(Locale.ROOT) : text);
      }
      default -> wrong(value);
    };
  }

  /** Returns a number with its sign and prefix, padded with zeros when the flags have one. */
  private String number(String prefix, String text) {
    boolean negative = text.startsWith("-");
    String digits = negative ? text.substring(1) : text;
    String sign =
        negative ? "-" : flags.contains("+") && verb != 'v' ? "+" : flags.contains(" ") ? " " : "";
    boolean whole = "dboxXv".indexOf(verb) >= 0 && !digits.contains(".");
    if (whole && precision > digits.length()) {
      digits = "0".repeat(precision - digits.length()) + digits;
    }
    int zeros =
        flags.contains("0") && !flags.contains("-") && (precision < 0 || !whole)
            ? Math.max(0, width - sign.length() - prefix.length() - digits.length())
            : 0;
    return padded(sign + prefix + "0".repeat(zeros) + digits);
  }

  private String padded(String text) {
    String blanks = " ".repeat(Math.max(0, width - text.codePointCount(0, text.length())));
    return flags.contains("-") ? text + blanks : blanks + text;
  }

  private static String quoted(String text, char quote) {
    StringBuilder quoted = new StringBuilder().append(quote);
    text.codePoints()
        .forEach(c -> {
          int known = "\u0007\b\f\n\r\t\u000b\\".indexOf(c);
          if (known >= 0) {
            quoted.append('\\').append("abfnrtv\\".charAt(known));
          } else if (c == quote) {
            quoted.append('\\').append(quote);
          } else if (c == ' ' || isPrinted(c)) {
            quoted.appendCodePoint(c);
          } else {
            quoted.append(
                String.format(
                    Locale.ROOT, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
          }
        });
    return quoted.append(quote).toString();
  }

  private static boolean isPrinted(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SPACE_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
