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
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the rules of a role with what is needed.
 *
 * <p>Thread rule: any thread.
 */
final class RightsCheck {

  private static final String ANY = "*";
  private static final Set<String> CACHES = Set.of("list", "watch");

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
   * Returns what to change in rules: the parts to remove that are neither declared nor used, one for each
   * resource of a rule; and with a star, which allows more than that, the rules in its place.
   */
  static List<String> toRemove(
      JsonArray rules, Collection<ControllerRights> declared, Collection<Request> used) {
    List<Request> needed = Stream.concat(declared(declared), used.stream()).toList();
    List<String> lines = new ArrayList<>();
    for (Grant grant : grants(rules)) {
      List<Request> allowed = needed.stream().filter(grant::allows).distinct().toList();
      if (grant.isWide()) {
        lines.add("remove: " + line(grant.group, grant.resource, grant.verbs));
        toAdd(allowed).forEach(rule -> lines.add("in its place: " + rule));
        continue;
      }
      List<String> superfluous =
          grant.verbs.stream()
              .filter(verb -> allowed.stream().noneMatch(request -> request.verb().equals(verb)))
              .toList();
      if (!superfluous.isEmpty()) {
        lines.add("remove: " + line(grant.group, grant.resource, superfluous));
      }
    }
    return lines;
  }

  /**
   * Returns the rules for caches that other rules do not allow. A run may not show it: a server that streams lists
   * needs no {@code list}, another one does.
   */
  static List<String> missingForCaches(JsonArray rules, Collection<ControllerRights> declared) {
    List<Grant> grants = grants(rules);
    return toAdd(
        declared(declared)
            .filter(request -> CACHES.contains(request.verb()))
            .filter(request -> grants.stream().noneMatch(grant -> grant.allows(request)))
            .toList());
  }

  /** Returns the rules that are declared, not those for caches, and were not used. */
  static List<String> unused(Collection<ControllerRights> declared, Collection<Request> used) {
    Set<Request> seen =
        used.stream()
            .map(request -> new Request(request.verb(), request.group(), request.resource(), ""))
            .collect(Collectors.toSet());
    return toAdd(
        declared(declared)
            .filter(request -> !CACHES.contains(request.verb()) && !seen.contains(request))
            .distinct()
            .toList());
  }

  private static Stream<Request> declared(Collection<ControllerRights> declared) {
    return declared.stream()
        .flatMap(of -> of.rules().stream())
        .flatMap(rule ->
            rule.verbs().stream()
                .map(verb -> new Request(verb, rule.group(), rule.resource(), "")));
  }

  private static List<Grant> grants(JsonArray rules) {
    List<Grant> grants = new ArrayList<>();
    for (JsonElement one : rules) {
      JsonObject rule = one.getAsJsonObject();
      List<String> verbs = ProjectManifests.texts(rule.get("verbs"));
      for (String path : ProjectManifests.texts(rule.get("nonResourceURLs"))) {
        grants.add(new Grant("", path, verbs));
      }
      for (String group : ProjectManifests.texts(rule.get("apiGroups"))) {
        for (String resource : ProjectManifests.texts(rule.get("resources"))) {
          grants.add(new Grant(group, resource, verbs));
        }
      }
    }
    return grants;
  }

  /** A rule for one resource of one group. */
  private record Grant(String group, String resource, List<String> verbs) {

    boolean allows(Request request) {
      return verbs.stream().anyMatch(verb -> covers(verb, request.verb()))
          && covers(group, request.group())
          && coversResource(resource, request.resource());
    }

    /** Returns whether it has a star; paths of a server may have one at their end. */
    boolean isWide() {
      return verbs.contains(ANY)
          || group.equals(ANY)
          || (!resource.startsWith("/") && resource.contains(ANY));
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
