// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** What is written is the same for each reader: kubectl read a property named y as true. */
class CrdYamlTest {

  private static final List<String> TEXTS =
      List.of(
          "y",
          "Y",
          "n",
          "N",
          "yes",
          "No",
          "on",
          "OFF",
          "true",
          "False",
          "null",
          "NULL",
          "~",
          "",
          "=",
          "<<",
          "1",
          "-1",
          "+1",
          "017",
          "0o17",
          "0x1F",
          "0b11",
          "1_000",
          "1e3",
          "1E3",
          "-1.5e-3",
          "1.",
          ".5",
          ".inf",
          "-.INF",
          ".NaN",
          "1:20",
          "190:20:30.15",
          "2026-11-27",
          "2026-11-27T10:00:00Z",
          "a: b",
          "# no",
          "- x",
          "* x",
          "&x",
          "!x",
          "%x",
          "@x",
          "`x`",
          "{a}",
          "[a]",
          "a # b",
          " a ",
          "a\nb",
          "'",
          "\"",
          "\\",
          "10.0.0.1",
          "1Gi",
          "y1",
          "ja");

  /** All that any reader of YAML 1.1 or 1.2 takes for something else; Go's reads more than SnakeYAML. */
  private static final class AnyReader extends Resolver {
    @Override
    protected void addImplicitResolvers() {
      super.addImplicitResolvers();
      addImplicitResolver(Tag.BOOL, Pattern.compile("(?i)y|n"), "yYnN");
      addImplicitResolver(
          Tag.FLOAT, Pattern.compile("[-+]?[0-9]+(\\.[0-9]*)?[eE][-+]?[0-9]+"), "-+0123456789");
      addImplicitResolver(Tag.INT, Pattern.compile("[-+]?0o[0-7]+"), "-+0");
    }
  }

  private static Object read(String yaml) {
    LoaderOptions loader = new LoaderOptions();
    DumperOptions dumper = new DumperOptions();
    return new Yaml(
            new SafeConstructor(loader), new Representer(dumper), dumper, loader, new AnyReader())
        .load(yaml);
  }

  @Test
  void everyText_asKeyAndAsValue_isReadBackAsItself() {
    for (String text : TEXTS) {
      JsonObject object = new JsonObject();
      object.addProperty(text, text);
      JsonArray values = new JsonArray();
      values.add(text);
      object.add("enum", values);
      assertThat(read(CrdYaml.write(object)))
          .as(text)
          .isEqualTo(Map.of(text, text, "enum", List.of(text)));
      assertThat(CrdYaml.read(CrdYaml.write(object))).as(text).containsExactly(object);
    }
  }

  @Test
  void randomTexts_areReadBackAsThemselves() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    String letters = "ynYN01_.:-+eExob~#'\"{}[],&*!|>%@` \n\tä";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(6); length >= 0; length--) {
        text.append(letters.charAt(random.nextInt(letters.length())));
      }
      JsonObject object = new JsonObject();
      object.addProperty(text.toString(), text.toString());
      assertThat(read(CrdYaml.write(object)))
          .as("seed %s, <%s>", seed, text)
          .isEqualTo(Map.of(text.toString(), text.toString()));
    }
  }
}
