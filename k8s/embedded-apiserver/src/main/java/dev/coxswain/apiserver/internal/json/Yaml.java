// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** YAML in and out by way of JSON trees; any thread. */
public final class Yaml {
  private static final int MAX_DOCUMENT = 16 * 1024 * 1024;

  private Yaml() {}

  /**
   * Parses all documents; empty ones are left out. Throws {@link IOException} when the text is
   * malformed.
   */
  public static List<JsonNode> parseAll(String text) throws IOException {
    try {
      List<JsonNode> documents = new ArrayList<>();
      for (Object document : yaml().loadAll(text)) {
        if (document != null) {
          documents.add(tree(document));
        }
      }
      return documents;
    } catch (YAMLException | ClassCastException e) {
      throw new IOException("error converting YAML to JSON: " + Json.firstLine(e), e);
    }
  }

  /** Parses a body that holds one document. */
  public static JsonNode parse(String text) throws IOException {
    List<JsonNode> documents = parseAll(text);
    if (documents.size() != 1) {
      throw new IOException("expected one YAML document, found " + documents.size());
    }
    return documents.getFirst();
  }

  /** Prints a tree with sorted keys in block style. */
  public static String print(JsonNode node) {
    return yaml().dump(plain(node));
  }

  private static org.yaml.snakeyaml.Yaml yaml() {
    LoaderOptions loader = new LoaderOptions();
    loader.setCodePointLimit(MAX_DOCUMENT);
    loader.setAllowDuplicateKeys(false);
    DumperOptions dumper = new DumperOptions();
    dumper.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    dumper.setSplitLines(false);
    dumper.setIndicatorIndent(0);
    dumper.setDereferenceAliases(true);
    return new org.yaml.snakeyaml.Yaml(
        new SafeConstructor(loader),
        new TextRepresenter(dumper),
        dumper,
        loader,
        new NoTimestamps());
  }

  private static JsonNode tree(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        ObjectNode object = Json.object();
        map.forEach((k, v) -> object.set(String.valueOf(k), tree(v)));
        yield object;
      }
      case List<?> list -> {
        ArrayNode array = Json.array();
        list.forEach(v -> array.add(tree(v)));
        yield array;
      }
      case null, default -> Json.mapper().valueToTree(value);
    };
  }

  private static @Nullable Object plain(JsonNode node) {
    if (node instanceof ObjectNode object) {
      Map<String, JsonNode> sorted = new TreeMap<>();
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        sorted.put(e.getKey(), e.getValue());
      }
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      sorted.forEach((k, v) -> map.put(k, plain(v)));
      return map;
    }
    if (node instanceof ArrayNode array) {
      List<@Nullable Object> list = new ArrayList<>();
      for (Iterator<JsonNode> i = array.elements(); i.hasNext(); ) {
        list.add(plain(i.next()));
      }
      return list;
    }
    if (node.isNull()) {
      return null;
    }
    if (node.isTextual()) {
      return node.textValue();
    }
    return node.isBoolean() ? node.booleanValue() : node.numberValue();
  }

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

  /** Go omits underscores in what begins like a number. */
  private static boolean isAmbiguous(String text) {
    return AMBIGUOUS.matcher(text).matches() || AMBIGUOUS.matcher(text.replace("_", "")).matches();
  }

  /** Kubernetes reads dates as text. */
  private static final class NoTimestamps extends Resolver {
    @Override
    public void addImplicitResolver(Tag tag, Pattern regexp, String first, int limit) {
      if (!tag.equals(Tag.TIMESTAMP)) {
        super.addImplicitResolver(tag, regexp, first, limit);
      }
    }
  }

  /**
   * Text that would read back as a number, boolean or date is quoted with double quotes, as Go's
   * printer does.
   */
  private static final class TextRepresenter extends Representer {
    TextRepresenter(DumperOptions options) {
      super(options);
      representers.put(
          String.class,
          data -> {
            String text = (String) data;
            boolean quoted = text.isEmpty() || isAmbiguous(text) || UNSAFE.matcher(text).find();
            DumperOptions.ScalarStyle style =
                quoted
                    ? DumperOptions.ScalarStyle.DOUBLE_QUOTED
                    : text.indexOf('\n') >= 0
                        ? DumperOptions.ScalarStyle.LITERAL
                        : DumperOptions.ScalarStyle.PLAIN;
            return representScalar(Tag.STR, text, style);
          });
    }
  }
}
