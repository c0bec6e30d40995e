// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Overrides of a configuration by environment variables and flags.
 *
 * <p>{@code COXSWAIN_SHARED_LIMITER__CLUSTER_NAME} means {@code sharedLimiter.clusterName}. A
 * variable counts when it has a double underscore, or names a top-level value: Kubernetes gives
 * every pod variables such as {@code COXSWAIN_ADMIN_PORT} for a Service that is called
 * "coxswain-admin", and those must not break a start.
 */
public final class Overrides {

  private static final String PREFIX = "COXSWAIN_";
  private static final Set<String> TOP_LEVEL = Set.of("REPLICA_NAME", "DRAIN_LIMIT");

  /** The keys whose entries are names, with dashes instead of capitals. */
  private static final Set<String> NAMED = Set.of("controllers", "limiters", "kubernetes.clusters");

  private Overrides() {}

  public static void environment(Tree.Branch root, Map<String, String> variables)
      throws ConfigurationException {
    for (Map.Entry<String, String> variable : new TreeMap<>(variables).entrySet()) {
      if (!variable.getKey().startsWith(PREFIX)) {
        continue;
      }
      String name = variable.getKey().substring(PREFIX.length());
      if (name.contains("__") || TOP_LEVEL.contains(name)) {
        put(root, path(name), variable.getValue(), "environment variable " + variable.getKey());
      }
    }
  }

  public static void flags(Tree.Branch root, List<String> settings) throws ConfigurationException {
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals <= 0) {
        throw new ConfigurationException(
            List.of("flag --set " + setting + ": expected KEY=VALUE, such as admin.port=9090"));
      }
      String key = setting.substring(0, equals);
      put(root, parts(key), setting.substring(equals + 1), "flag --set " + key);
    }
  }

  /** Splits a key at its dots; {@code \.} is a dot of a name and {@code \\} a backslash. */
  private static List<String> parts(String key) throws ConfigurationException {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == '.') {
        parts.add(part.toString());
        part.setLength(0);
      } else if (c == '\\') {
        i++;
        if (i == key.length() || (key.charAt(i) != '.' && key.charAt(i) != '\\')) {
          throw new ConfigurationException(
              List.of(
                  "flag --set "
                      + key
                      + ": expected \\. for a dot in a name, or \\\\ for a backslash"));
        }
        part.append(key.charAt(i));
      } else {
        part.append(c);
      }
    }
    parts.add(part.toString());
    return parts;
  }

  private static List<String> path(String variable) {
    String[] parts = variable.split("__", -1);
    for (int i = 0; i < parts.length; i++) {
      parts[i] =
          NAMED.contains(String.join(".", List.of(parts).subList(0, i)))
              ? dashed(parts[i])
              : camel(parts[i]);
    }
    return List.of(parts);
  }

  /**
   * Returns the variable of a key; empty for a name in a map of which variables cannot give the
   * names, such as that of a logger.
   *
   * @param name stands in the path for a name that the user chooses
   */
  public static String variable(List<String> path, String name) {
    int at = path.indexOf(name);
    if (at >= 0 && !NAMED.contains(String.join(".", path.subList(0, at)))) {
      return "";
    }
    return PREFIX
        + path.stream()
            .map(part -> part.equals(name) ? part : part.replaceAll("([A-Z])", "_$1"))
            .map(part -> part.toUpperCase(Locale.ROOT))
            .collect(Collectors.joining("__"));
  }

  private static String dashed(String part) {
    return part.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Converts {@code MAX_OF} to {@code maxOf}. */
  public static String camel(String part) {
    StringBuilder word = new StringBuilder();
    boolean upper = false;
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == '_') {
        upper = !word.isEmpty();
      } else {
        word.append(upper ? Character.toUpperCase(c) : Character.toLowerCase(c));
        upper = false;
      }
    }
    return word.toString();
  }

  private static void put(Tree.Branch root, List<String> path, String text, String origin)
      throws ConfigurationException {
    Tree.Branch branch = root;
    for (String part : path.subList(0, path.size() - 1)) {
      Tree next = branch.entries().get(part);
      if (!(next instanceof Tree.Branch)) {
        next = Tree.Branch.empty(origin);
        branch.entries().put(part, next);
      }
      branch = (Tree.Branch) next;
    }
    branch.entries().put(path.getLast(), YamlReader.readValue(text, origin));
  }
}
