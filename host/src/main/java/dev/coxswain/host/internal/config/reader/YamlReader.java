// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reader of YAML into a {@link Tree} with line numbers. Supports only plain types, and no aliases.
 */
public final class YamlReader {

  private static final int MAX_CHARACTERS = 1_000_000;
  private static final int MAX_DEPTH = 32;

  private final String source;
  private final boolean withLines;
  private final Scalars scalars = new Scalars(options());

  private YamlReader(String source, boolean withLines) {
    this.source = source;
    this.withLines = withLines;
  }

  /** Reads the text of a file; an empty text is an empty map. */
  public static Tree.Branch readFile(String text, String file) throws ConfigurationException {
    Tree tree = new YamlReader(file, true).read(text);
    if (tree instanceof Tree.Branch branch) {
      return branch;
    }
    if (tree instanceof Tree.Leaf leaf && leaf.value() == null) {
      return Tree.Branch.empty(file);
    }
    throw new ConfigurationException(
        List.of(file + ": expected a map of keys and values, found " + tree.shown()));
  }

  /** Reads the value of a variable or a flag. */
  public static Tree readValue(String text, String origin) throws ConfigurationException {
    return new YamlReader(origin, false).read(text);
  }

  private static LoaderOptions options() {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MAX_CHARACTERS);
    options.setNestingDepthLimit(MAX_DEPTH);
    options.setMaxAliasesForCollections(0);
    options.setAllowDuplicateKeys(false);
    return options;
  }

  private Tree read(String text) throws ConfigurationException {
    try {
      @Nullable Node root =
          new Yaml(new SafeConstructor(options())).compose(new StringReader(text));
      return root == null ? new Tree.Leaf(null, text, source) : tree(root);
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
      String at = withLines ? source + ":" + line : source;
      throw new ConfigurationException(List.of(at + ": not valid YAML: " + e.getProblem()));
    } catch (YAMLException e) {
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new ConfigurationException(List.of(source + ": not valid YAML: " + why));
    }
  }

  private Tree tree(Node node) throws ConfigurationException {
    String origin = at(node);
    return switch (node) {
      case MappingNode mapping -> new Tree.Branch(entries(mapping), origin);
      case SequenceNode sequence -> {
        List<Tree> items = new ArrayList<>();
        for (Node item : sequence.getValue()) {
          items.add(tree(item));
        }
        yield new Tree.Items(items, origin);
      }
      case ScalarNode scalar -> new Tree.Leaf(scalars.value(scalar), scalar.getValue(), origin);
      default -> throw new ConfigurationException(List.of(origin + ": aliases are not supported"));
    };
  }

  private Map<String, Tree> entries(MappingNode mapping) throws ConfigurationException {
    Map<String, Tree> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new ConfigurationException(
            List.of(at(tuple.getKeyNode()) + ": a key must be a single word"));
      }
      if (entries.put(key.getValue(), tree(tuple.getValueNode())) != null) {
        throw new ConfigurationException(
            List.of(at(key) + ": the key \"" + key.getValue() + "\" is given twice"));
      }
    }
    return entries;
  }

  private String at(Node node) {
    return withLines && node.getStartMark() != null
        ? source + ":" + (node.getStartMark().getLine() + 1)
        : source;
  }

  /** Gives single values their types; anything but plain ones stays text. */
  private static final class Scalars extends SafeConstructor {
    Scalars(LoaderOptions options) {
      super(options);
    }

    @Nullable Object value(ScalarNode node) {
      Tag tag = node.getTag();
      if (tag.equals(Tag.INT)
          || tag.equals(Tag.FLOAT)
          || tag.equals(Tag.BOOL)
          || tag.equals(Tag.NULL)) {
        return constructDocument(node);
      }
      return node.getValue();
    }
  }
}
