// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.k8s.client.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is verified.
 *
 * <p>Thread rule: immutable, but not the objects.
 *
 * @param project the project
 * @param namespace where its operator runs
 * @param definitions the definitions of its classes
 * @param rights what its controllers declare
 * @param rules the author's own rules; null for those of the chart
 * @param examples objects for the controllers
 * @param arguments {@code --config} and {@code --set} of the author
 */
record VerifyPlan(
    ProjectJars project,
    String namespace,
    List<JsonObject> definitions,
    AuthorRights rights,
    @Nullable JsonArray rules,
    ExampleFiles examples,
    List<String> arguments) {

  /** What needs a pod, or writes where this command prints. */
  private static final Set<String> OF_PODS =
      Set.of("apiVersion", "kind", "drainLimit", "health", "logging", "metrics", "sharedLimiter");

  /** Copies the lists. */
  VerifyPlan {
    definitions = List.copyOf(definitions);
    arguments = List.copyOf(arguments);
  }

  /** Returns the account of the pods. */
  String account() {
    return "system:serviceaccount:%s:%s".formatted(namespace, project.shortName());
  }

  /** Returns the name of the role with the rules of the controllers. */
  String role() {
    return "%s-%s-controllers".formatted(namespace, project.shortName());
  }

  /** Returns the rules in force. */
  JsonArray granted() {
    return rules == null ? ProjectManifests.rules(rights) : rules;
  }

  /** Returns whether the project has webhooks. */
  boolean hasWebhooks() {
    return !rights.webhooks().isEmpty() || !rights.conversions().isEmpty();
  }

  /**
   * Returns the configuration of the chart as {@code key=value}, for a process on this machine.
   *
   * @param webhooks the port of the webhooks
   */
  List<String> settings(JsonObject config, int webhooks) {
    List<String> settings = new ArrayList<>();
    config
        .entrySet()
        .forEach(e -> {
          if (e.getKey().equals("webhooks")) {
            settings.add("webhooks.secret=" + Json.text(e.getValue(), "secret"));
            settings.add("webhooks.url=https://127.0.0.1:" + webhooks);
            settings.add("webhooks.port=" + webhooks);
          } else if (!OF_PODS.contains(e.getKey())) {
            flatten(e.getKey(), e.getValue().getAsJsonObject(), settings);
          }
        });
    for (String section : List.of("membership", "changes.pauses", "changes.history")) {
      settings.add(section + ".namespace=" + namespace);
    }
    settings.addAll(
        List.of(
            "replicaName=" + project.shortName() + "-0",
            "drainLimit=500ms",
            "logging.level=warn",
            "admin.port=0",
            "metrics.port=0",
            "health.port=0"));
    return settings;
  }

  private static void flatten(String path, JsonObject section, List<String> settings) {
    section
        .entrySet()
        .forEach(e -> {
          String key = path + "." + e.getKey();
          if (e.getValue() instanceof JsonObject inner) {
            flatten(key, inner, settings);
          } else {
            settings.add(key + "=" + e.getValue().getAsString());
          }
        });
  }
}
