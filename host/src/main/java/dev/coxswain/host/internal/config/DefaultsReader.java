// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reader of the values and comments of the file of defaults, by key. The comment lines above a key,
 * and the comment beside it, are its text.
 *
 * <p>Thread rule: immutable.
 */
final class DefaultsReader {

  private static final Entry NONE = new Entry("", "");

  /** An indent, a key, a value and a comment. */
  private static final Pattern LINE =
      Pattern.compile("( *)([A-Za-z0-9-]+):(?: +([^#]*?))?(?:\\s+#\\s*(.*))?");

  private static final Pattern FLOW = Pattern.compile("([A-Za-z]+): *([^,}]+)");

  /** The maps of names that the user chooses. */
  private static final Set<String> NAMED =
      Set.of("controllers.", "limiters.", "kubernetes.clusters.");

  private final Map<String, Entry> entries;

  /** The value, empty for none, and the text of a key. */
  record Entry(String value, String text) {}

  private DefaultsReader(Map<String, Entry> entries) {
    this.entries = entries;
  }

  static DefaultsReader read(String defaults) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    TreeMap<Integer, String> parents = new TreeMap<>();
    StringBuilder above = new StringBuilder();
    for (String line : defaults.lines().toList()) {
      // The samples of settings of controllers are comments.
      String shown = line.startsWith("#  ") ? line.substring(1) : line;
      Matcher key = LINE.matcher(shown);
      if (shown.isBlank()) {
        above.setLength(0);
      } else if (shown.stripLeading().startsWith("#")) {
        above.append(' ').append(shown.stripLeading().substring(1).strip());
      } else if (key.matches()) {
        int indent = key.group(1).length();
        parents.tailMap(indent, true).clear();
        String parent = parents.isEmpty() ? "" : parents.lastEntry().getValue() + ".";
        String name = NAMED.contains(parent) ? "NAME" : key.group(2);
        String path = parent + name;
        parents.put(indent, path);
        String value = Objects.requireNonNullElse(key.group(3), "").strip();
        String text = (above + " " + Objects.requireNonNullElse(key.group(4), "")).strip();
        above.setLength(0);
        entries.putIfAbsent(path, new Entry(value, text));
        flow(entries, path, value);
      }
    }
    return new DefaultsReader(entries);
  }

  private static void flow(Map<String, Entry> entries, String path, String value) {
    if (value.startsWith("{")) {
      Matcher part = FLOW.matcher(value);
      while (part.find()) {
        entries.put(path + "." + part.group(1), new Entry(part.group(2).strip(), ""));
      }
    }
  }

  /** Returns the keys in the order of the file. */
  List<String> order() {
    return List.copyOf(entries.keySet());
  }

  Entry of(String path) {
    return Objects.requireNonNullElse(entries.get(path), NONE);
  }
}
