// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.cel.CelCondition;
import dev.coxswain.apiserver.internal.cel.CelException;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.webhook.WebhookTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One webhook of a configuration and what it matches; immutable. */
final class Webhook {
  private static final int DEFAULT_SECONDS = 10;

  final String name;
  final WebhookTarget target;
  final int seconds;
  final boolean ignoresFailure;
  final boolean reinvoked;
  private final JsonNode rules;
  private final boolean exact;
  private final LabelSelector namespaces;
  private final LabelSelector objects;
  private final boolean allObjects;
  private final List<CelCondition> conditions = new ArrayList<>();

  Webhook(JsonNode node) {
    this.name = Json.text(node, "name");
    this.target = WebhookTarget.of(node.path("clientConfig"));
    this.seconds = node.path("timeoutSeconds").asInt(DEFAULT_SECONDS);
    this.ignoresFailure = Json.text(node, "failurePolicy").equals("Ignore");
    this.reinvoked = Json.text(node, "reinvocationPolicy").equals("IfNeeded");
    this.exact = Json.text(node, "matchPolicy").equals("Exact");
    this.rules = node.path("rules");
    this.namespaces = LabelSelector.of(node.get("namespaceSelector"));
    this.objects = LabelSelector.of(node.get("objectSelector"));
    this.allObjects =
        node.path("objectSelector").path("matchLabels").isEmpty()
            && node.path("objectSelector").path("matchExpressions").isEmpty();
    for (JsonNode condition : node.path("matchConditions")) {
      conditions.add(CelCondition.compile(Json.text(condition, "expression")));
    }
  }

  /**
   * Returns the version in which a rule matches, null when none does. With the policy {@code
   * Equivalent} that may be another one than that of the request.
   */
  ResourceType.@Nullable Version matched(AdmissionRequest request) {
    ResourceType type = request.place().resource().type();
    ResourceType.Version own = request.place().resource().version();
    if (matches(request, own.name())) {
      return own;
    }
    if (!exact) {
      for (ResourceType.Version other : type.versions()) {
        if (matches(request, other.name())) {
          return other;
        }
      }
    }
    return null;
  }

  private boolean matches(AdmissionRequest request, String version) {
    for (JsonNode rule : rules) {
      if (names(rule.path("operations"), request.operation().name())
          && names(rule.path("apiGroups"), request.place().resource().type().group())
          && names(rule.path("apiVersions"), version)
          && resource(rule, request.place())
          && scope(Json.text(rule, "scope"), request.place())) {
        return true;
      }
    }
    return false;
  }

  private static boolean names(JsonNode list, String wanted) {
    return list.valueStream().anyMatch(v -> v.asText().equals("*") || v.asText().equals(wanted));
  }

  private static boolean resource(JsonNode rule, AdmissionRequest.Place place) {
    for (JsonNode entry : rule.path("resources")) {
      String[] parts = entry.asText().split("/", 2);
      String sub = parts.length < 2 ? "" : parts[1];
      if ((parts[0].equals("*") || parts[0].equals(place.resource().type().plural()))
          && (sub.equals("*") || sub.equals(place.subresource()))) {
        return true;
      }
    }
    return false;
  }

  private static boolean scope(String scope, AdmissionRequest.Place place) {
    boolean cluster = !place.resource().type().namespaced();
    return switch (scope) {
      case "Cluster" -> cluster;
      case "Namespaced" -> !cluster;
      default -> true;
    };
  }

  /** Returns whether the selectors match. */
  boolean selects(AdmissionRequest request, @Nullable Map<String, String> namespaceLabels) {
    if (namespaceLabels != null && !namespaces.matches(namespaceLabels)) {
      return false;
    }
    return allObjects
        || (request.object() != null && objects.matches(labels(request.object())))
        || (request.old() != null && objects.matches(labels(request.old())));
  }

  static Map<String, String> labels(ObjectNode object) {
    Map<String, String> labels = new HashMap<>();
    object
        .path("metadata")
        .path("labels")
        .properties()
        .forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    return labels;
  }

  /**
   * Returns whether all conditions hold. One that is false decides, whatever the others are.
   *
   * @param review the request as it would be sent
   * @throws CelException when none is false and one cannot be evaluated
   */
  boolean conditionsHold(ObjectNode review) {
    JsonNode object = review.has("object") ? review.get("object") : NullNode.instance;
    JsonNode old = review.has("oldObject") ? review.get("oldObject") : NullNode.instance;
    CelException failure = null;
    for (CelCondition condition : conditions) {
      try {
        if (!condition.holds(review, object, old)) {
          return false;
        }
      } catch (CelException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return true;
  }
}
