// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.webhook.WebhookException;
import java.io.IOException;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The forms of {@code AdmissionReview}; stateless, any thread. */
final class AdmissionReviews {
  private static final String VERSION = "admission.k8s.io/v1";
  private static final String KIND = "AdmissionReview";

  private AdmissionReviews() {}

  /**
   * Returns the {@code request} of a review.
   *
   * @param version the version in which the rule of the webhook matched
   */
  static ObjectNode request(
      AdmissionRequest request, ResourceType.Version version, Access.User user) {
    AdmissionRequest.Place place = request.place();
    ResourceType type = place.resource().type();
    String own = place.resource().version().name();
    ObjectNode node = Json.object().put("uid", UUID.randomUUID().toString());
    node.set("kind", kind(place, version.name()));
    node.set("resource", resource(type, version.name()));
    subresource(node, "subResource", place);
    node.set("requestKind", kind(place, own));
    node.set("requestResource", resource(type, own));
    subresource(node, "requestSubResource", place);
    if (!place.name().isEmpty()) {
      node.put("name", place.name());
    }
    if (!place.namespace().isEmpty()) {
      node.put("namespace", place.namespace());
    }
    node.put("operation", request.operation().name());
    ArrayNode groups = node.putObject("userInfo").put("username", user.name()).putArray("groups");
    user.groups().forEach(groups::add);
    node.set("object", in(request.object(), type, version, place));
    node.set("oldObject", in(request.old(), type, version, place));
    node.put("dryRun", request.dryRun());
    node.set("options", request.options());
    return node;
  }

  private static @Nullable JsonNode in(
      @Nullable ObjectNode object,
      ResourceType type,
      ResourceType.Version version,
      AdmissionRequest.Place place) {
    if (object == null || place.subresource().equals("scale")) {
      return object;
    }
    return object.deepCopy().put("apiVersion", type.apiVersion(version));
  }

  private static void subresource(ObjectNode node, String field, AdmissionRequest.Place place) {
    if (!place.subresource().isEmpty()) {
      node.put(field, place.subresource());
    }
  }

  private static ObjectNode kind(AdmissionRequest.Place place, String version) {
    ResourceType type = place.resource().type();
    return switch (place.subresource()) {
      case "scale" -> kind("autoscaling", "v1", "Scale");
      case "eviction" -> kind("policy", "v1", "Eviction");
      default -> kind(type.group(), version, type.kind());
    };
  }

  private static ObjectNode kind(String group, String version, String kind) {
    return Json.object().put("group", group).put("version", version).put("kind", kind);
  }

  private static ObjectNode resource(ResourceType type, String version) {
    return Json.object()
        .put("group", type.group())
        .put("version", version)
        .put("resource", type.plural());
  }

  static ObjectNode review(ObjectNode request) {
    ObjectNode review = Json.object().put("kind", KIND).put("apiVersion", VERSION);
    review.set("request", request);
    return review;
  }

  /** Returns the {@code response} of a review when it is a valid one. */
  static JsonNode response(ObjectNode review, String uid, boolean mutating) {
    JsonNode response = review.path("response");
    if (!response.isObject()) {
      throw invalid("webhook response was absent");
    }
    String given = Json.text(response, "uid");
    if (!given.equals(uid)) {
      throw invalid("expected response.uid=\"%s\", got \"%s\"".formatted(uid, given));
    }
    String kind = Json.text(review, "kind");
    String version = Json.text(review, "apiVersion");
    if (!kind.equals(KIND) || !version.equals(VERSION)) {
      throw invalid(
          "expected webhook response of %s, Kind=%s, got %s, Kind=%s"
              .formatted(VERSION, KIND, version, kind));
    }
    boolean patch = !Json.text(response, "patch").isEmpty();
    boolean type = response.hasNonNull("patchType");
    if (!mutating && (patch || type)) {
      throw invalid("validating webhook may not return response.patch" + (patch ? "" : "Type"));
    }
    if (patch && !type) {
      throw invalid("webhook returned response.patch but not response.patchType");
    }
    if (type && !patch) {
      throw invalid("webhook returned response.patchType but not response.patch");
    }
    if (type && Json.text(response, "patchType").isEmpty()) {
      throw invalid("webhook returned invalid response.patchType of \"\"");
    }
    return response;
  }

  private static WebhookException invalid(String why) {
    return new WebhookException("received invalid webhook response: " + why);
  }

  /** Returns the operations of a response, null without some. */
  static @Nullable ArrayNode patch(JsonNode response) {
    String encoded = Json.text(response, "patch");
    if (encoded.isEmpty()) {
      return null;
    }
    String type = Json.text(response, "patchType");
    if (!type.equals("JSONPatch")) {
      throw new WebhookException("unsupported patch type \"" + type + "\"");
    }
    try {
      if (Json.mapper().readTree(Base64.getDecoder().decode(encoded)) instanceof ArrayNode list) {
        return list.isEmpty() ? null : list;
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new WebhookException(
          "received undecodable patch in webhook response: " + Json.firstLine(e));
    }
    throw new WebhookException("received undecodable patch in webhook response: not a list");
  }

  /** Returns the failure of a request that a webhook has denied. */
  static ApiException denied(String webhook, JsonNode status) {
    String by = "admission webhook \"" + webhook + "\" denied the request";
    String message = Json.text(status, "message");
    String reason = Json.text(status, "reason");
    int code = status.path("code").asInt();
    String text =
        !message.isEmpty()
            ? by + ": " + message
            : reason.isEmpty() ? by + " without explanation" : by + ": " + reason;
    return ApiException.of(
        code < 400 || code > 599 ? 400 : code,
        reason.isEmpty() ? null : reason,
        text,
        status.get("details") instanceof ObjectNode details ? details : null);
  }

  /** Returns the failure of a request whose webhook did not answer and must not be ignored. */
  static ApiException failed(String webhook, String why) {
    String message = "failed calling webhook \"" + webhook + "\": " + why;
    return internal(message);
  }

  static ApiException internal(String message) {
    ObjectNode details = Json.object();
    details.putArray("causes").addObject().put("message", message);
    return ApiException.of(500, "InternalError", "Internal error occurred: " + message, details);
  }
}
