// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.coxswain.k8s.client.Json;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Represent;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Reads and writes Kubernetes objects as YAML.
 *
 * <p>Thread rule: any thread.
 */
public final class CrdYaml {

  private static final int WIDTH = 120;

  /**
   * Texts that are something else for a reader of YAML 1.1 or 1.2: {@code y} and {@code no} are booleans, {@code
   * 1e3}, {@code 0o7} and {@code 1:20} are numbers.
   */
  private static final Pattern AMBIGUOUS =
      Pattern.compile(
          "(?i)y|n|yes|no|on|off|true|false|null|~|=|<<"
              + "|[-+]?\\.(inf|nan)"
              + "|[-+]?(0x[0-9a-f_]+|0o?[0-7_]+|0b[01_]+)"
              + "|[-+]?([0-9][0-9_]*\\.?[0-9_]*|\\.[0-9][0-9_]*)(e[-+]?[0-9_]+)?"
              + "|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?"
              + "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t \\t].*)?");

  /** Characters that only an escape in double quotes keeps for each reader. */
  private static final Pattern UNSAFE =
      Pattern.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ufffe\\uffff]");

  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9./-]*");

  private CrdYaml() {}

  /**
   * Returns the objects of a text, which may have several documents.
   *
   * @throws IllegalArgumentException when it is not YAML
   */
  public static List<JsonObject> read(String text) {
    List<JsonObject> objects = new ArrayList<>();
    try {
      for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text)) {
        if (Json.GSON.toJsonTree(document) instanceof JsonObject object) {
          objects.add(object);
        }
      }
    } catch (YAMLException e) {
      throw new IllegalArgumentException("not YAML: " + e.getMessage(), e);
    }
    return objects;
  }

  /** Returns an object as YAML in block style, its fields in their order. */
  public static String write(JsonObject object) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setWidth(WIDTH);
    options.setSplitLines(false);
    options.setDereferenceAliases(true);
    return new Yaml(new QuotingRepresenter(options), options).dump(plain(object));
  }

  /** Returns a text as a scalar of one line, as it can stand in braces too. */
  public static String scalar(String text) {
    return WORD.matcher(text).matches() && !isAmbiguous(text) ? text : Json.GSON.toJson(text);
  }

  /** Go omits underscores in what begins like a number. */
  private static boolean isAmbiguous(String text) {
    return AMBIGUOUS.matcher(text).matches() || AMBIGUOUS.matcher(text.replace("_", "")).matches();
  }

  private static final class QuotingRepresenter extends Representer {
    QuotingRepresenter(DumperOptions options) {
      super(options);
      Represent plain = Objects.requireNonNull(representers.get(String.class), "of texts");
      representers.put(
          String.class,
          data -> {
            String text = (String) data;
            if (UNSAFE.matcher(text).find()) {
              return representScalar(Tag.STR, text, DumperOptions.ScalarStyle.DOUBLE_QUOTED);
            }
            return isAmbiguous(text)
                ? representScalar(Tag.STR, text, DumperOptions.ScalarStyle.SINGLE_QUOTED)
                : plain.representData(text);
          });
    }
  }

  private static @Nullable Object plain(JsonElement json) {
    if (json.isJsonObject()) {
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      json.getAsJsonObject().entrySet().forEach(e -> map.put(e.getKey(), plain(e.getValue())));
      return map;
    }
    if (json.isJsonArray()) {
      return json.getAsJsonArray().asList().stream().map(CrdYaml::plain).toList();
    }
    if (json.isJsonNull()) {
      return null;
    }
    JsonPrimitive value = json.getAsJsonPrimitive();
    if (value.isBoolean()) {
      return value.getAsBoolean();
    }
    if (value.isNumber()) {
      BigDecimal number = value.getAsBigDecimal();
      return number.scale() <= 0 ? (Object) number.toBigIntegerExact() : (Object) number;
    }
    return value.getAsString();
  }
}
