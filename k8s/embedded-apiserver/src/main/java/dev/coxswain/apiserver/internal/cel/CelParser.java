// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recursive descent from text to {@link Cel}; used once. */
final class CelParser {
  /** In one or three quotes of two kinds, with escapes or raw. */
  private static final String TEXT =
      "[rR](?:\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|\"[^\"\\n]*\"|'[^'\\n]*')"
          + "|\"{3}(?s:(?:[^\\\\]|\\\\.)*?)\"{3}|'{3}(?s:(?:[^\\\\]|\\\\.)*?)'{3}"
          + "|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'";

  private static final Pattern ESCAPE =
      Pattern.compile(
          "(?s)\\\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))");

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:(?<number>\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)u?|(?<text>"
              + TEXT
              + ")"
              + "|(?<word>[A-Za-z_][A-Za-z_0-9]*)|(?<symbol>==|!=|<=|>=|&&|\\|\\||[-+*/%<>!?:.,()\\[\\]{}]))");
  private static final Set<String> MACROS = Set.of("all", "exists", "exists_one", "filter", "map");
  private static final int MAX_DEPTH = 100;

  private final List<String> tokens = new ArrayList<>();
  private int at;
  private int depth;

  private CelParser(String text) {
    Matcher matcher = TOKEN.matcher(text);
    int end = text.stripTrailing().length();
    int from = 0;
    while (from < end) {
      if (!matcher.find(from) || matcher.start() != from) {
        throw new CelException("unexpected character at " + from);
      }
      tokens.add(matcher.group().strip());
      from = matcher.end();
    }
  }

  /** Parses an expression; throws {@link CelException} for unsupported syntax. */
  static Cel parse(String text) {
    CelParser parser = new CelParser(text);
    Cel result = parser.conditional();
    if (!parser.peek().isEmpty()) {
      throw new CelException("unexpected \"" + parser.peek() + "\"");
    }
    return result;
  }

  private String peek() {
    return at < tokens.size() ? tokens.get(at) : "";
  }

  private boolean accept(String token) {
    if (peek().equals(token)) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(String token) {
    if (!accept(token)) {
      throw new CelException("expected \"" + token + "\", found \"" + peek() + "\"");
    }
  }

  private Cel conditional() {
    if (++depth > MAX_DEPTH) {
      throw new CelException("expression is nested too deeply");
    }
    Cel test = or();
    if (accept("?")) {
      Cel yes = conditional();
      expect(":");
      Cel no = conditional();
      depth--;
      return v -> Cel.truth(test.evaluate(v)) ? yes.evaluate(v) : no.evaluate(v);
    }
    depth--;
    return test;
  }

  private Cel or() {
    Cel left = and();
    while (accept("||")) {
      Cel a = left;
      Cel b = and();
      left = v -> Cel.either(a, b, v, true);
    }
    return left;
  }

  private Cel and() {
    Cel left = relation();
    while (accept("&&")) {
      Cel a = left;
      Cel b = relation();
      left = v -> Cel.either(a, b, v, false);
    }
    return left;
  }

  private Cel relation() {
    Cel a = sum();
    String op = peek();
    if (!Set.of("==", "!=", "<", "<=", ">", ">=", "in").contains(op)) {
      return a;
    }
    at++;
    Cel b = sum();
    return switch (op) {
      case "==" -> v -> Cel.bool(Cel.same(a.evaluate(v), b.evaluate(v)));
      case "!=" -> v -> Cel.bool(!Cel.same(a.evaluate(v), b.evaluate(v)));
      case "<" -> v -> Cel.bool(Cel.compare(a.evaluate(v), b.evaluate(v)) < 0);
      case "<=" -> v -> Cel.bool(Cel.compare(a.evaluate(v), b.evaluate(v)) <= 0);
      case ">" -> v -> Cel.bool(Cel.compare(a.evaluate(v), b.evaluate(v)) > 0);
      case ">=" -> v -> Cel.bool(Cel.compare(a.evaluate(v), b.evaluate(v)) >= 0);
      default -> v -> Cel.bool(Cel.in(a.evaluate(v), b.evaluate(v)));
    };
  }

  private Cel sum() {
    Cel left = product();
    while (peek().equals("+") || peek().equals("-")) {
      String op = tokens.get(at++);
      Cel a = left;
      Cel b = product();
      left = v -> Cel.arithmetic(op, a.evaluate(v), b.evaluate(v));
    }
    return left;
  }

  private Cel product() {
    Cel left = unary();
    while (Set.of("*", "/", "%").contains(peek())) {
      String op = tokens.get(at++);
      Cel a = left;
      Cel b = unary();
      left = v -> Cel.arithmetic(op, a.evaluate(v), b.evaluate(v));
    }
    return left;
  }

  private Cel unary() {
    if (accept("!")) {
      Cel inner = unary();
      return v -> Cel.bool(!Cel.truth(inner.evaluate(v)));
    }
    if (accept("-")) {
      Cel inner = unary();
      return v -> Cel.arithmetic("-", JsonNodeFactory.instance.numberNode(0), inner.evaluate(v));
    }
    return member(primary());
  }

  private Cel member(Cel start) {
    Cel here = start;
    while (true) {
      Cel target = here;
      if (accept(".")) {
        String name = word();
        here = peek().equals("(") ? method(target, name) : v -> Cel.field(target.evaluate(v), name);
      } else if (accept("[")) {
        Cel index = conditional();
        expect("]");
        here = v -> Cel.index(target.evaluate(v), index.evaluate(v));
      } else {
        return here;
      }
    }
  }

  private String word() {
    String token = peek();
    if (token.isEmpty() || !(Character.isLetter(token.charAt(0)) || token.charAt(0) == '_')) {
      throw new CelException("a name is expected, found \"" + token + "\"");
    }
    at++;
    // escapes of names that are keywords or hold signs
    return token.replace("__dash__", "-").replace("__dot__", ".").replace("__slash__", "/");
  }

  private Cel method(Cel target, String name) {
    expect("(");
    if (MACROS.contains(name)) {
      String variable = word();
      expect(",");
      Cel first = conditional();
      Cel second = name.equals("map") && accept(",") ? conditional() : null;
      expect(")");
      Cel chosen = second == null ? null : first;
      Cel body = second == null ? first : second;
      return v -> Cel.macro(name, target.evaluate(v), variable, chosen, body, v);
    }
    List<Cel> arguments = arguments(name, CelLibrary.METHODS);
    return v -> {
      List<JsonNode> values = new ArrayList<>();
      values.add(target.evaluate(v));
      arguments.forEach(a -> values.add(a.evaluate(v)));
      return CelLibrary.call(name, values);
    };
  }

  private List<Cel> arguments(String name, Set<String> variables) {
    if (!variables.contains(name)) {
      throw new CelException("function \"" + name + "\" " + CelException.UNSUPPORTED);
    }
    List<Cel> arguments = new ArrayList<>();
    while (!accept(")")) {
      if (!arguments.isEmpty()) {
        expect(",");
      }
      arguments.add(conditional());
    }
    return arguments;
  }

  private Cel primary() {
    String token = peek();
    if (accept("(")) {
      Cel inner = conditional();
      expect(")");
      return inner;
    }
    if (accept("[")) {
      List<Cel> items = new ArrayList<>();
      while (!accept("]")) {
        if (!items.isEmpty()) {
          expect(",");
        }
        items.add(conditional());
      }
      return v -> {
        ArrayNode list = Json.array();
        items.forEach(i -> list.add(i.evaluate(v)));
        return list;
      };
    }
    if (accept("{")) {
      return map();
    }
    if (token.isEmpty()) {
      throw new CelException("unexpected end of expression");
    }
    char c = token.charAt(0);
    if (Character.isDigit(c)) {
      at++;
      boolean whole = token.chars().allMatch(Character::isDigit);
      JsonNode number =
          whole
              ? JsonNodeFactory.instance.numberNode(Long.parseLong(token))
              : JsonNodeFactory.instance.numberNode(Double.parseDouble(token.replace("u", "")));
      return v -> number;
    }
    if (token.endsWith("\"") || token.endsWith("'")) {
      at++;
      JsonNode text = Json.text(unquote(token));
      return v -> text;
    }
    return name(word());
  }

  private Cel map() {
    Map<Cel, Cel> entries = new LinkedHashMap<>();
    while (!accept("}")) {
      if (!entries.isEmpty()) {
        expect(",");
      }
      Cel key = conditional();
      expect(":");
      entries.put(key, conditional());
    }
    return v -> {
      ObjectNode map = Json.object();
      entries.forEach((key, value) -> map.set(key.evaluate(v).asText(), value.evaluate(v)));
      return map;
    };
  }

  private static String unquote(String token) {
    boolean raw = Character.isLetter(token.charAt(0));
    String quoted = raw ? token.substring(1) : token;
    String end = quoted.substring(quoted.length() - 1).repeat(3);
    int quotes = quoted.length() >= 6 && quoted.startsWith(end) && quoted.endsWith(end) ? 3 : 1;
    String text = quoted.substring(quotes, quoted.length() - quotes);
    return raw
        ? text
        : ESCAPE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(unescaped(found)));
  }

  private static String unescaped(MatchResult found) {
    for (int hex = 1; hex <= 3; hex++) {
      if (found.group(hex) != null) {
        return codePoint(Integer.parseUnsignedInt(found.group(hex), 16));
      }
    }
    if (found.group(4) != null) {
      return codePoint(Integer.parseInt(found.group(4), 8));
    }
    return switch (found.group(5)) {
      case "a" -> "\u0007";
      case "b" -> "\b";
      case "f" -> "\f";
      case "n" -> "\n";
      case "r" -> "\r";
      case "t" -> "\t";
      case "v" -> "\u000b";
      case "\\", "?", "\"", "'", "`" -> found.group(5);
      default -> throw new CelException("unknown escape " + found.group());
    };
  }

  private static String codePoint(int value) {
    if (!Character.isValidCodePoint(value)) {
      throw new CelException("there is no character " + Integer.toHexString(value));
    }
    return Character.toString(value);
  }

  private Cel name(String name) {
    switch (name) {
      case "true", "false" -> {
        JsonNode value = Cel.bool(name.equals("true"));
        return v -> value;
      }
      case "null" -> {
        return v -> NullNode.getInstance();
      }
      default -> {}
    }
    if (!accept("(")) {
      return v -> {
        JsonNode value = v.get(name);
        if (value == null) {
          throw new CelException("undeclared reference to " + name);
        }
        return value;
      };
    }
    if (name.equals("has")) {
      Cel inner = conditional();
      expect(")");
      return v -> {
        try {
          return Cel.bool(!inner.evaluate(v).isMissingNode());
        } catch (CelException e) {
          return Cel.bool(false);
        }
      };
    }
    List<Cel> arguments = arguments(name, CelLibrary.FUNCTIONS);
    if (arguments.isEmpty()) {
      throw new CelException("function \"" + name + "\" needs an argument");
    }
    return v -> CelLibrary.call(name, arguments.stream().map(a -> a.evaluate(v)).toList());
  }
}
