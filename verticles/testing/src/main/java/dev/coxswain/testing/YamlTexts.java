// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Texts that are hard to write as YAML, and a reader that takes for a number, boolean, date or null
 * whatever any reader of YAML 1.1 or 1.2 takes for one, that of Go included.
 *
 * <p>Thread rule: any thread.
 */
public final class YamlTexts {

  private static final List<String> HARD =
      List.of(
              "y Y n N yes No on OFF true False null NULL Null ~ = << 1 -1 +1 017 0o17 0x1F 0X1f 0b11 -0x1f +0o7"
                  + " 1_000 1_ _1 -_1 0_x1f 0_b1 1e3 1E3 1e+3 1_e3 1e_-3 -1.5e-3 1. .5 -._5 .inf -.INF +.inf .NaN"
                  + " 1:20 1:2:3 190:20:30.15 2026-11-27 2026-1-2 2026-11-27T10:00:00Z - -- --- ... ? : , [ ] { }"
                  + " # & * ! | > ' \" % @ ` \\ !!str &x *x !x %x @x -x ?x :x x: 10.0.0.1 1Gi 08 0_9 9e y1 ja {a} [a] a#b",
              "|a: b|# no|- x|? x|: x|a # b|a :|a: |a:b|\"a\"|'a'|it's|a\"b'c|--- a|%YAML 1.2|! x|2026-11-27 10:00:00|a, b|{}|[]")
          .stream()
          .flatMap(all -> Pattern.compile(all.startsWith("|") ? "\\|" : " ").splitAsStream(all))
          .toList();

  private static final List<String> SPECIAL =
      List.of(
          "",
          " ",
          "\t",
          "\n",
          "\r",
          "\r\n",
          " a",
          "a ",
          "\ta",
          "a\t",
          "a\tb",
          "\na",
          "a\n",
          "a\n\n",
          "a\nb",
          "a\n b\n",
          " a\nb",
          "a \nb",
          "a\r\nb",
          "a\rb",
          "a\n\tb",
          "#a\n#b",
          "- a\n- b\n",
          "a: b\nc: d\n",
          "---\na",
          "a\n---\nb",
          "\u0000",
          "a\u0001b",
          "\u001b[0m",
          "\u007f",
          "\u0085",
          "a\u0085b",
          "a\u00a0b",
          "a\u2028b",
          "a\u2029b\n",
          "\ufeffa",
          "\ud83d\ude80",
          "a\ud83d\ude80\nb",
          "\u00e4\u4e2d",
          "x".repeat(3_000),
          "word ".repeat(600),
          "line\n".repeat(300),
          "k".repeat(200) + ": v");

  private static final String LETTERS =
      "ynYNto01_.:-+eExXob~#'\"{}[],&*!|>%@`?=<\\ \n\t\r\u00e4\u0085\u2028\u00a0\u0001\ufeff";

  private YamlTexts() {}

  /** Returns the fixed texts. */
  public static List<String> hard() {
    List<String> all = new ArrayList<>(HARD);
    all.addAll(SPECIAL);
    return all;
  }

  /** Returns a random text, short enough to be something else by chance. */
  public static String random(Random random) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(7); length >= 0; length--) {
      int sign = random.nextInt(LETTERS.length() + 1);
      if (sign == LETTERS.length()) {
        text.appendCodePoint(0x1f600 + random.nextInt(50));
      } else {
        text.append(LETTERS.charAt(sign));
      }
    }
    return text.toString();
  }

  /** Returns a map with a text in all the places of a document that a text can have. */
  public static Map<String, Object> everywhere(String text) {
    Map<String, Object> inner = new LinkedHashMap<>();
    inner.put(text, text);
    inner.put(text + "2", List.of(text, List.of(text), Map.of(text, List.of(text))));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("in", inner);
    map.put("list", List.of(inner, text));
    return map;
  }

  /**
   * Writes each fixed text and as many random ones, and reads them back; throws {@link
   * AssertionError} for one that is not the same, with the seed.
   */
  public static void check(long seed, int count, Function<Map<String, Object>, String> writer) {
    Random random = new Random(seed);
    for (String text : hard()) {
      check(seed, text, writer);
    }
    for (int i = 0; i < count; i++) {
      check(seed, random(random), writer);
    }
  }

  private static void check(long seed, String text, Function<Map<String, Object>, String> writer) {
    Map<String, Object> written = everywhere(text);
    String yaml = writer.apply(written);
    for (Resolver resolver : List.of(new Resolver(), new AnyReader())) {
      Object read;
      try {
        read = read(yaml, resolver);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", <" + escaped(text) + ">: " + yaml, e);
      }
      if (!written.equals(read)) {
        throw new AssertionError(
            "seed %s, <%s> was read as %s of:%n%s".formatted(seed, escaped(text), read, yaml));
      }
    }
  }

  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    text.chars()
        .forEach(sign ->
            out.append(sign > ' ' && sign < 0x7f ? "" + (char) sign : "\\u%04x".formatted(sign)));
    return out.toString();
  }

  private static Object read(String yaml, Resolver resolver) {
    LoaderOptions loader = new LoaderOptions();
    DumperOptions dumper = new DumperOptions();
    return new Yaml(new SafeConstructor(loader), new Representer(dumper), dumper, loader, resolver)
        .load(yaml);
  }

  private static final class AnyReader extends Resolver {
    private static final Pattern NUMBER =
        Pattern.compile(
            "(?i)[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)(e[-+]?[0-9]+)?|[-+]?0(x[0-9a-f]+|o[0-7]+|b[01]+)"
                + "|[-+]?\\.(inf|nan)|[0-9]+(:[0-5]?[0-9])+(\\.[0-9]*)?");

    /** Go omits the underscores of what begins like a number before it looks. */
    @Override
    public Tag resolve(NodeId kind, String value, boolean implicit) {
      if (kind == NodeId.scalar && implicit && value != null) {
        boolean digits = !value.isEmpty() && "+-.0123456789".indexOf(value.charAt(0)) >= 0;
        if (digits && NUMBER.matcher(value.replace("_", "")).matches()) {
          return Tag.FLOAT;
        }
        if (value.equalsIgnoreCase("y") || value.equalsIgnoreCase("n")) {
          return Tag.BOOL;
        }
      }
      return super.resolve(kind, value, implicit);
    }
  }
}
