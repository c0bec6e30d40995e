// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.bundle.Cel;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.values.CelByteString;
import dev.cel.validator.CelAstValidator;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Texts: regular expressions, and what makes long texts from short ones, which is bounded; any thread. */
final class TextLibrary {
  private static final CelType TEXTS = ListType.create(STRING);
  private static final java.util.regex.Pattern CLAUSE =
      java.util.regex.Pattern.compile("%(?:\\.(\\d{1,3}))?(.?)");
  private static final int DEFAULT_PRECISION = 6;
  private static final int MAX_PLAIN_EXPONENT = 6;
  private static final String VERBS = "sdfebxXo";

  /** Stands for a value that is not a literal. */
  private record Unknown() {}

  private TextLibrary() {}

  static void addTo(CelLibrary library) {
    library.method(
        "find",
        STRING,
        List.of(STRING, STRING),
        a -> {
          Matcher matcher = matcher(a);
          return matcher.find() ? matcher.group() : "";
        });
    library.method("findAll", TEXTS, List.of(STRING, STRING), a -> all(matcher(a), Long.MAX_VALUE));
    library.method(
        "findAll",
        TEXTS,
        List.of(STRING, STRING, INT),
        a -> {
          long most = (Long) a[2];
          return all(matcher(a), most < 0 ? Long.MAX_VALUE : most);
        });
    library.method("replace", STRING, List.of(STRING, STRING, STRING), a -> replaced(a, -1));
    library.method(
        "replace", STRING, List.of(STRING, STRING, STRING, INT), a -> replaced(a, (Long) a[3]));
    library.method("join", STRING, List.of(TEXTS), a -> joined((List<?>) a[0], ""));
    library.method(
        "join", STRING, List.of(TEXTS, STRING), a -> joined((List<?>) a[0], (String) a[1]));
    library.method(
        "format",
        STRING,
        List.of(STRING, ListType.create(DYN)),
        a -> formatted((String) a[0], (List<?>) a[1]));
  }

  /** Adds what is wrong with formats and regular expressions that are literals. */
  static void check(CelNavigableAst tree, Cel cel, CelAstValidator.IssuesFactory issues) {
    tree.getRoot()
        .allNodes()
        .map(CelNavigableExpr::expr)
        .filter(expr -> expr.getKind() == CelExpr.ExprKind.Kind.CALL)
        .forEach(expr -> {
          switch (expr.call().function()) {
            case "format" -> checkFormat(expr, issues);
            case "matches" -> checkPattern(expr.call().args().getLast(), issues);
            default -> {}
          }
        });
  }

  private static void checkPattern(CelExpr pattern, CelAstValidator.IssuesFactory issues) {
    try {
      if (pattern.getKind() == CelExpr.ExprKind.Kind.CONSTANT) {
        Pattern compiled = Pattern.compile(pattern.constant().stringValue());
        assert compiled.flags() == 0;
      }
    } catch (PatternSyntaxException e) {
      issues.addError(pattern.id(), "invalid matches argument");
    }
  }

  private static void checkFormat(CelExpr expr, CelAstValidator.IssuesFactory issues) {
    CelExpr text = expr.call().target().orElse(expr);
    CelExpr values = expr.call().args().getFirst();
    if (text.getKind() != CelExpr.ExprKind.Kind.CONSTANT
        || values.getKind() != CelExpr.ExprKind.Kind.LIST) {
      return;
    }
    try {
      List<Object> known = new ArrayList<>();
      for (CelExpr value : values.list().elements()) {
        boolean literal = value.getKind() == CelExpr.ExprKind.Kind.CONSTANT;
        known.add(literal ? constant(value.constant()) : new Unknown());
      }
      String made = formatted(text.constant().stringValue(), known);
      Objects.requireNonNull(made);
    } catch (IllegalArgumentException e) {
      issues.addError(text.id(), String.valueOf(e.getMessage()));
    }
  }

  private static Object constant(CelConstant constant) {
    return switch (constant.getKind()) {
      case BOOLEAN_VALUE -> constant.booleanValue();
      case INT64_VALUE -> constant.int64Value();
      case UINT64_VALUE -> constant.uint64Value();
      case DOUBLE_VALUE -> constant.doubleValue();
      case STRING_VALUE -> constant.stringValue();
      default -> new Unknown();
    };
  }

  private static Matcher matcher(Object[] a) {
    try {
      return Pattern.compile((String) a[1]).matcher((String) a[0]);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException("Illegal regex: " + e.getMessage(), e);
    }
  }

  private static List<String> all(Matcher matcher, long most) {
    List<String> found = new ArrayList<>();
    while (found.size() < most && matcher.find()) {
      found.add(matcher.group());
    }
    return found;
  }

  private static String replaced(Object[] a, long most) {
    String text = (String) a[0];
    String old = (String) a[1];
    String with = (String) a[2];
    StringBuilder out = new StringBuilder();
    int from = 0;
    for (long n = 0; n != most; n++) {
      int at = text.indexOf(old, old.isEmpty() && n > 0 ? from + 1 : from);
      if (at < 0 || at > text.length() || (old.isEmpty() && n > text.length())) {
        break;
      }
      CelBudget.size(out.length() + (long) with.length() + text.length());
      out.append(text, from, at).append(with);
      from = at + old.length();
    }
    return out.append(text, from, text.length()).toString();
  }

  private static String joined(List<?> texts, String separator) {
    long size = 0;
    for (Object text : texts) {
      if (!(text instanceof String part)) {
        throw new IllegalArgumentException("no such overload");
      }
      size += part.length() + separator.length();
    }
    CelBudget.size(size);
    return texts.stream().map(String::valueOf).collect(Collectors.joining(separator));
  }

  private static String formatted(String format, List<?> values) {
    StringBuilder out = new StringBuilder();
    Iterator<?> rest = values.iterator();
    java.util.regex.Matcher clause = CLAUSE.matcher(format);
    int from = 0;
    while (clause.find(from)) {
      out.append(format, from, clause.start());
      from = clause.end();
      if (clause.group(2).equals("%")) {
        out.append('%');
        continue;
      }
      if (!rest.hasNext()) {
        throw new IllegalArgumentException("error during formatting: index out of range");
      }
      int precision =
          clause.group(1) == null ? DEFAULT_PRECISION : Integer.parseInt(clause.group(1));
      out.append(one(clause.group(2), precision, rest.next()));
      CelBudget.size(out.length());
    }
    return out.append(format.substring(from)).toString();
  }

  private static String one(String verb, int precision, Object value) {
    if (value instanceof Unknown && VERBS.contains(verb)) {
      return "";
    }
    return switch (verb) {
      case "s" -> printed(value);
      case "d" -> {
        if (!(value instanceof Number) || value instanceof Double) {
          throw new IllegalArgumentException(
              "error during formatting: decimal clause can only be used on integers");
        }
        yield value.toString();
      }
      case "f", "e" -> {
        if (!(value instanceof Number number)) {
          throw new IllegalArgumentException(
              "error during formatting: fixed-point clause can only be used on numbers");
        }
        yield String.format(Locale.ROOT, "%." + precision + verb, number.doubleValue());
      }
      case "b" ->
          value instanceof Boolean truth ? (truth ? "1" : "0") : Long.toBinaryString(whole(value));
      case "o" -> Long.toOctalString(whole(value));
      case "x" -> hex(value);
      case "X" -> hex(value).toUpperCase(Locale.ROOT);
      default ->
          throw new IllegalArgumentException(
              "could not parse formatting clause: unrecognized formatting clause \"" + verb + "\"");
    };
  }

  private static long whole(Object value) {
    if (value instanceof Number number && !(value instanceof Double)) {
      return number.longValue();
    }
    throw new IllegalArgumentException(
        "error during formatting: only integers can be formatted this way");
  }

  private static String hex(Object value) {
    byte[] bytes =
        switch (value) {
          case String text -> CelByteString.copyFromUtf8(text).toByteArray();
          case CelByteString text -> text.toByteArray();
          default -> new byte[0];
        };
    return bytes.length > 0
        ? java.util.HexFormat.of().formatHex(bytes)
        : value instanceof Number ? Long.toHexString(whole(value)) : "";
  }

  /** A number as Go prints it: the fewest digits, with an exponent when it is large or small. */
  private static String general(double number) {
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return Double.isNaN(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";
    }
    if (number == 0) {
      return 1 / number < 0 ? "-0" : "0";
    }
    BigDecimal exact = new BigDecimal(Double.toString(number)).stripTrailingZeros();
    int exponent = exact.precision() - exact.scale() - 1;
    if (exponent >= -4 && exponent < MAX_PLAIN_EXPONENT) {
      return exact.toPlainString();
    }
    String digits = exact.unscaledValue().abs().toString();
    String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
    return (number < 0 ? "-" : "")
        + digits.charAt(0)
        + fraction
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }

  private static String printed(Object value) {
    return switch (value) {
      case List<?> list ->
          list.stream().map(TextLibrary::printed).collect(Collectors.joining(", ", "[", "]"));
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(e -> printed(e.getKey()) + ": " + printed(e.getValue()))
              .sorted()
              .collect(Collectors.joining(", ", "{", "}"));
      case CelByteString bytes -> bytes.toStringUtf8();
      case Duration duration ->
          BigDecimal.valueOf(duration.toNanos(), 9).stripTrailingZeros().toPlainString() + "s";
      case dev.cel.common.values.NullValue ignored -> "null";
      case Double d -> general(d);
      default -> value.toString();
    };
  }
}
