// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The objects that register webhooks with an API server: a configuration of each kind for each
 * controller, and the conversion of a definition.
 *
 * <p>Thread rule: stateless.
 */
public final class WebhookManifests {

  private static final String ADMISSION = "admissionregistration.k8s.io";

  /** The configurations of mutating webhooks. */
  public static final ResourceType<Unstructured> MUTATING =
      ResourceType.unstructured(
          ADMISSION, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", false);

  /** The configurations of validating webhooks. */
  public static final ResourceType<Unstructured> VALIDATING =
      ResourceType.unstructured(
          ADMISSION,
          "v1",
          "validatingwebhookconfigurations",
          "ValidatingWebhookConfiguration",
          false);

  /** The definitions of resources. */
  public static final ResourceType<Unstructured> DEFINITIONS =
      ResourceType.unstructured(
          "apiextensions.k8s.io",
          "v1",
          "customresourcedefinitions",
          "CustomResourceDefinition",
          false);

  private WebhookManifests() {}

  /** Returns the name of the configurations of a controller. */
  public static String name(String controller) {
    return controller + ".coxswain.dev";
  }

  /**
   * Returns the configuration of the mutating or of the validating webhooks of a controller; empty
   * when it has none.
   *
   * @param type {@link #MUTATING} or {@link #VALIDATING}
   * @param webhooks the webhooks of the controller
   * @param labels the labels of the configuration
   * @param client returns the {@code clientConfig} for the path of a webhook
   */
  public static Optional<Unstructured> configuration(
      ResourceType<Unstructured> type,
      String controller,
      Webhooks webhooks,
      Map<String, String> labels,
      Function<String, JsonObject> client) {
    JsonArray list = new JsonArray();
    for (AdmissionWebhook<?> webhook : webhooks.admission()) {
      if (webhook.mutating() == type.equals(MUTATING)) {
        list.add(webhook(webhook, client.apply(webhook.path())));
      }
    }
    if (list.isEmpty()) {
      return Optional.empty();
    }
    JsonObject body = object(type, name(controller));
    body.getAsJsonObject("metadata").add("labels", Json.GSON.toJsonTree(labels));
    body.add("webhooks", list);
    return Optional.of(Unstructured.of(body));
  }

  /**
   * Returns the {@code spec.conversion} of a definition.
   *
   * @param client the {@code clientConfig} for the path of the webhook
   */
  public static JsonObject conversion(JsonObject client) {
    JsonObject webhook = new JsonObject();
    webhook.add("clientConfig", client);
    webhook.add("conversionReviewVersions", list("v1"));
    JsonObject node = new JsonObject();
    node.addProperty("strategy", "Webhook");
    node.add("webhook", webhook);
    return node;
  }

  private static JsonObject webhook(AdmissionWebhook<?> webhook, JsonObject client) {
    WebhookOptions options = webhook.options();
    ResourceType<?> type = webhook.type();
    JsonObject rule = new JsonObject();
    JsonArray operations = new JsonArray();
    options.operations().stream().map(Enum::name).sorted().forEach(operations::add);
    rule.add("operations", operations);
    rule.add("apiGroups", list(type.group()));
    rule.add("apiVersions", list(type.version()));
    rule.add("resources", list(type.plural()));
    rule.addProperty("scope", type.namespaced() ? "Namespaced" : "Cluster");
    JsonObject node = new JsonObject();
    node.addProperty("name", webhook.name());
    node.add("clientConfig", client);
    node.add("rules", list(rule));
    node.addProperty("failurePolicy", options.ignoreFailures() ? "Ignore" : "Fail");
    node.addProperty("matchPolicy", "Equivalent");
    node.addProperty("sideEffects", "NoneOnDryRun");
    node.addProperty("timeoutSeconds", options.timeout().toSeconds());
    node.add("admissionReviewVersions", list("v1"));
    node.add("objectSelector", selector(options.objectLabels()));
    node.add("namespaceSelector", selector(options.namespaceLabels()));
    if (webhook.mutating()) {
      node.addProperty("reinvocationPolicy", options.reinvoked() ? "IfNeeded" : "Never");
    }
    return node;
  }

  private static JsonObject selector(Map<String, String> labels) {
    JsonObject selector = new JsonObject();
    if (!labels.isEmpty()) {
      selector.add("matchLabels", Json.GSON.toJsonTree(labels));
    }
    return selector;
  }

  /** Returns an object with a kind and a name. */
  public static JsonObject object(ResourceType<?> type, String name) {
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", name);
    JsonObject body = new JsonObject();
    body.addProperty("apiVersion", type.apiVersion());
    body.addProperty("kind", type.kind());
    body.add("metadata", metadata);
    return body;
  }

  private static JsonArray list(String value) {
    JsonArray list = new JsonArray();
    list.add(value);
    return list;
  }

  private static JsonArray list(JsonElement value) {
    JsonArray list = new JsonArray();
    list.add(value);
    return list;
  }
}
