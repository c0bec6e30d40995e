// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.Role;
import dev.coxswain.admin.auth.Rule;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.config.reader.Section;
import dev.coxswain.host.internal.config.reader.YamlReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reader of the file with the principals of the admin API, the hashes of their tokens and their
 * rights.
 *
 * <p>Thread rule: stateless.
 */
public final class AdminTokens {

  /** The {@code kind} of the file. */
  public static final String KIND = "AdminTokens";

  private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{1,253}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern RESOURCE = Pattern.compile("\\*|[a-z]{1,32}(/[a-z]{1,32})?");
  private static final Pattern ANY = Pattern.compile("\\*|" + ConfigurationLoader.DNS_NAME);
  private static final Pattern ROLE =
      Pattern.compile(
          Arrays.stream(Role.values()).map(Role::label).collect(Collectors.joining("|")));
  private static final Pattern VERB =
      Pattern.compile(
          "\\*|" + Arrays.stream(Verb.values()).map(Verb::label).collect(Collectors.joining("|")));
  private static final int MOST = 1000;

  private AdminTokens() {}

  /**
   * Reads the text of a file.
   *
   * @param source the name of the file in messages
   * @throws ConfigurationException with one line for each fault; no line holds a hash
   */
  public static List<StaticAccess.Entry> read(String text, String source)
      throws ConfigurationException {
    List<String> problems = new ArrayList<>();
    Section root = new Section(YamlReader.readFile(text, source), "", problems);
    if (!CoxswainConfiguration.API_VERSION.equals(root.text("apiVersion"))
        || !KIND.equals(root.text("kind"))) {
      throw new ConfigurationException(
          List.of(
              "%s: expected apiVersion \"%s\" and kind \"%s\""
                  .formatted(source, CoxswainConfiguration.API_VERSION, KIND)));
    }
    List<StaticAccess.Entry> entries = root.items("principals", AdminTokens::principal);
    root.end();
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return entries;
  }

  private static StaticAccess.Entry principal(Section section) {
    String name = section.text("name", NAME, "a user name");
    if (name == null) {
      section.fault("name", "a user name");
    }
    List<String> groups = section.texts("groups", NAME, "group names", MOST);
    Set<String> hashes =
        new TreeSet<>(
            section.texts("tokenHashes", HASH, "SHA-256 sums of 64 digits of 0-9 and a-f", MOST));
    Set<String> namespaces = orAll(section.texts("namespaces", ANY, "namespaces, or *", MOST));
    List<Rule> rules = new ArrayList<>();
    for (String role : section.texts("roles", ROLE, "viewer, operator or admin", MOST)) {
      Role.of(role).ifPresent(found -> rules.add(found.in(namespaces)));
    }
    rules.addAll(section.items("rules", AdminTokens::rule));
    return new StaticAccess.Entry(
        new Principal(name == null ? "unnamed" : name, "", groups, Map.of()), hashes, rules);
  }

  private static Rule rule(Section section) {
    return new Rule(
        Set.copyOf(
            section.texts("resources", RESOURCE, "resources such as controllers/items", MOST)),
        Set.copyOf(section.texts("verbs", VERB, "verbs such as get and retry, or *", MOST)),
        orAll(section.texts("namespaces", ANY, "namespaces, or *", MOST)),
        orAll(section.texts("names", ANY, "names of controllers or limiters, or *", MOST)));
  }

  private static Set<String> orAll(List<String> values) {
    return values.isEmpty() ? Set.of(Rule.ALL) : Set.copyOf(values);
  }
}
