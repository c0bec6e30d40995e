// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.rbac.AccessRule;
import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.host.internal.dev.project.AccessLog.Request;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the rules of a role with what is needed.
 *
 * <p>Thread rule: any thread.
 */
final class RightsCheck {

  private static final String ANY = "*";

  private RightsCheck() {}

  /**
   * Returns the rules of values of the chart, or of the roles in a text.
   *
   * @param file where the text is from, for the message
   * @throws CommandException when there are none
   */
  static JsonArray rules(String file, String text) {
    JsonArray rules = new JsonArray();
    boolean found = false;
    for (JsonObject document : CrdYaml.read(text)) {
      for (String field : List.of("controllerRules", "controllerClusterRules", "rules")) {
        if (document.get(field) instanceof JsonArray some) {
          rules.addAll(some);
          found = true;
        }
      }
    }
    if (!found) {
      throw new CommandException(
          file
              + " has neither controllerRules, as values of the chart, nor rules, as a ClusterRole");
    }
    return rules;
  }

  /** Returns the rules that would allow requests, one for each resource. */
  static List<String> toAdd(Collection<Request> forbidden) {
    Map<String, List<Request>> byResource = new LinkedHashMap<>();
    for (Request request : forbidden) {
      byResource
          .computeIfAbsent(request.group() + " " + request.resource(), _ -> new ArrayList<>())
          .add(request);
    }
    return byResource.values().stream()
        .map(requests ->
            line(
                requests.getFirst().group(),
                requests.getFirst().resource(),
                requests.stream().map(Request::verb).toList()))
        .toList();
  }

  /**
   * Returns the parts of rules that are neither declared nor used, one for each resource of a rule. A star
   * counts as needed when anything that it allows is.
   */
  static List<String> toRemove(
      JsonArray rules, Collection<ControllerRights> declared, Collection<Request> used) {
    List<Request> needed =
        Stream.concat(
                declared.stream()
                    .flatMap(of -> of.rules().stream())
                    .flatMap(rule ->
                        rule.verbs().stream()
                            .map(verb -> new Request(verb, rule.group(), rule.resource(), ""))),
                used.stream())
            .toList();
    List<String> lines = new ArrayList<>();
    for (JsonElement one : rules) {
      JsonObject rule = one.getAsJsonObject();
      List<String> verbs = ProjectManifests.texts(rule.get("verbs"));
      for (String path : ProjectManifests.texts(rule.get("nonResourceURLs"))) {
        add(lines, "", path, verbs, needed);
      }
      for (String group : ProjectManifests.texts(rule.get("apiGroups"))) {
        for (String resource : ProjectManifests.texts(rule.get("resources"))) {
          add(lines, group, resource, verbs, needed);
        }
      }
    }
    return lines;
  }

  private static void add(
      List<String> lines, String group, String resource, List<String> verbs, List<Request> needed) {
    List<String> superfluous =
        verbs.stream()
            .filter(verb ->
                needed.stream()
                    .noneMatch(request ->
                        covers(verb, request.verb())
                            && covers(group, request.group())
                            && coversResource(resource, request.resource())))
            .toList();
    if (!superfluous.isEmpty()) {
      lines.add(line(group, resource, superfluous));
    }
  }

  private static boolean covers(String granted, String needed) {
    return granted.equals(ANY) || granted.equals(needed);
  }

  private static boolean coversResource(String granted, String needed) {
    if (granted.startsWith("/") || needed.startsWith("/")) {
      return granted.endsWith(ANY)
          ? needed.startsWith(granted.substring(0, granted.length() - 1))
          : granted.equals(needed);
    }
    return covers(granted, needed)
        || (granted.startsWith("*/") && needed.endsWith(granted.substring(1)));
  }

  private static String line(String group, String resource, List<String> verbs) {
    return resource.startsWith("/")
        ? "- {nonResourceURLs: [%s], verbs: [%s]}"
            .formatted(CrdYaml.scalar(resource), verbs.stream().collect(Collectors.joining(", ")))
        : new AccessRule(group, resource, true, verbs).toYaml();
  }
}
