// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Kubeconfig files as client-go merges them: the first file that has an entry or the current context
 * wins, an entry as a whole.
 *
 * <p>Thread rule: confined to the thread that reads them.
 */
final class KubeconfigFiles {

  private static final String CLUSTER = "cluster";
  private static final String CONTEXT = "context";
  private static final String USER = "user";
  private static final Set<String> CONTEXT_FIELDS =
      Set.of(CLUSTER, USER, "namespace", "extensions");

  private final List<Path> files;
  private final Map<String, Map<String, KubeconfigSection>> entries = new LinkedHashMap<>();
  private String current = "";

  /**
   * The entries of the current context.
   *
   * @param cluster the cluster
   * @param user the user, or null when the context names none
   */
  record Selected(KubeconfigSection cluster, @Nullable KubeconfigSection user) {}

  private KubeconfigFiles(List<Path> files) {
    this.files = files;
    for (String kind : List.of(CLUSTER, CONTEXT, USER)) {
      entries.put(kind, new LinkedHashMap<>());
    }
  }

  /**
   * Reads files and returns the entries of the current context.
   *
   * @param files at least one; of several, those that do not exist are skipped
   */
  static Selected read(List<Path> files) throws AccessException {
    KubeconfigFiles merged = new KubeconfigFiles(List.copyOf(new LinkedHashSet<>(files)));
    List<Path> found = merged.files.stream().filter(Files::exists).toList();
    if (found.isEmpty()) {
      throw merged.error("no such file");
    }
    for (Path file : found) {
      merged.add(file);
    }
    return merged.selected();
  }

  private AccessException error(String what) {
    return new AccessException(
        "kubeconfig "
            + files.stream().map(Path::toString).collect(Collectors.joining(", "))
            + ": "
            + what);
  }

  private void add(Path file) throws AccessException {
    KubeconfigSection content = new KubeconfigSection(file, "", parse(file));
    String kind = content.text("kind");
    String version = content.text("apiVersion");
    if (!(kind.isEmpty() || kind.equals("Config"))
        || !(version.isEmpty() || version.equals("v1"))) {
      throw content.error("not a kubeconfig file: it has kind " + kind + " of " + version);
    }
    current = current.isEmpty() ? content.text("current-context") : current;
    for (Map.Entry<String, Map<String, KubeconfigSection>> each : entries.entrySet()) {
      add(content, each.getKey(), each.getValue());
    }
  }

  private static void add(
      KubeconfigSection content, String kind, Map<String, KubeconfigSection> known)
      throws AccessException {
    Set<String> names = new LinkedHashSet<>();
    for (KubeconfigSection entry : content.sections(kind + "s")) {
      String name = entry.text("name");
      if (!names.add(name)) {
        throw content.error("there are two entries \"" + name + "\" in " + kind + "s");
      }
      if (!known.containsKey(name)) {
        known.put(name, entry.at(kind + " \"" + name + "\"", kind));
      }
    }
  }

  private static Map<?, ?> parse(Path file) throws AccessException {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    KubeconfigSection whole = new KubeconfigSection(file, "", Map.of());
    Object content;
    try (Reader reader = Files.newBufferedReader(file)) {
      content = new Yaml(new SafeConstructor(options)).load(reader);
    } catch (MarkedYAMLException e) {
      // Its message would print the lines around, with their secrets.
      throw whole.error(
          "not a kubeconfig file in YAML"
              + (e.getProblemMark() == null
                  ? ""
                  : ", line " + (e.getProblemMark().getLine() + 1) + ": " + e.getProblem()));
    } catch (YAMLException | CharacterCodingException e) {
      throw whole.error("not a kubeconfig file in YAML");
    } catch (IOException e) {
      throw whole.error("it cannot be read: " + e.getClass().getSimpleName());
    }
    if (content == null) {
      return Map.of();
    }
    if (content instanceof Map<?, ?> map) {
      return map;
    }
    throw whole.error("not a kubeconfig file in YAML");
  }

  private Selected selected() throws AccessException {
    if (current.isEmpty()) {
      throw error("it has no current-context" + those(CONTEXT));
    }
    KubeconfigSection context = entry(CONTEXT, current, "current-context");
    context.only(CONTEXT_FIELDS);
    String cluster = context.text(CLUSTER);
    if (cluster.isEmpty()) {
      throw context.error("it names no cluster");
    }
    String user = context.text(USER);
    String by = "context \"" + current + "\"";
    return new Selected(entry(CLUSTER, cluster, by), user.isEmpty() ? null : entry(USER, user, by));
  }

  private KubeconfigSection entry(String kind, String name, String by) throws AccessException {
    KubeconfigSection found = known(kind).get(name);
    if (found == null) {
      throw error(by + " names the " + kind + " \"" + name + "\", which is missing" + those(kind));
    }
    return found;
  }

  private Map<String, KubeconfigSection> known(String kind) {
    return entries.getOrDefault(kind, Map.of());
  }

  private String those(String kind) {
    List<String> names = new ArrayList<>(known(kind).keySet());
    return names.isEmpty()
        ? "; there are no " + kind + "s"
        : "; there are the " + kind + "s " + String.join(", ", names);
  }
}
