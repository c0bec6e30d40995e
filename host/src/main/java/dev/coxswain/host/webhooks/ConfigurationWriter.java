// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.webhooks;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.host.config.Membership;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.webhook.AdmissionWebhook;
import dev.coxswain.k8s.webhook.ConversionWebhook;
import dev.coxswain.k8s.webhook.WebhookOptions;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the webhooks of controllers into the API server, with server-side apply: one configuration
 * of each kind for each controller, and the conversion of definitions. Deletes configurations that
 * an earlier version of this host has written and that are not declared any more.
 *
 * <p>Thread rule: one thread at a time; blocks.
 */
final class ConfigurationWriter {

  private static final String MANAGER = "coxswain-webhooks";
  private static final String MANAGED_BY = "app.kubernetes.io/managed-by";
  private static final String HOST_NAMESPACE = "coxswain.dev/host-namespace";
  private static final String HOST_NAME = "coxswain.dev/host";
  private static final String ADMISSION = "admissionregistration.k8s.io";
  private static final ResourceType<Unstructured> MUTATING =
      ResourceType.unstructured(
          ADMISSION, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", false);
  private static final ResourceType<Unstructured> VALIDATING =
      ResourceType.unstructured(
          ADMISSION,
          "v1",
          "validatingwebhookconfigurations",
          "ValidatingWebhookConfiguration",
          false);
  private static final ResourceType<Unstructured> DEFINITIONS =
      ResourceType.unstructured(
          "apiextensions.k8s.io",
          "v1",
          "customresourcedefinitions",
          "CustomResourceDefinition",
          false);

  private final Kubernetes kubernetes;
  private final Map<String, Webhooks> webhooks;
  private final @Nullable String service;
  private final Membership host;

  /**
   * Creates a writer.
   *
   * @param webhooks the webhooks by controller
   * @param service the Service of the server, as {@code NAMESPACE/NAME}; null for a URL
   * @param host what the replicas of this host have in common, and no other host has
   */
  ConfigurationWriter(
      Kubernetes kubernetes,
      Map<String, Webhooks> webhooks,
      @Nullable String service,
      Membership host) {
    this.kubernetes = kubernetes;
    this.webhooks = webhooks;
    this.service = service;
    this.host = host;
  }

  /** Returns the name of the configurations of a controller. */
  static String name(String controller) {
    return controller + ".coxswain.dev";
  }

  /** One request, or a few, to the API server. */
  private interface Step {
    void run() throws HostException;
  }

  /**
   * Writes everything that differs. What fails keeps nothing else from being written.
   *
   * @param url the address of the server, used without a Service
   * @param authority the authority of its certificate, as PEM
   * @throws HostException when something could not be written: each fault, such as a definition that
   *     does not exist
   */
  void write(String url, byte[] authority) throws HostException {
    String bundle = Base64.getEncoder().encodeToString(authority);
    List<Step> steps = new ArrayList<>();
    webhooks.forEach((controller, declared) -> {
      String name = name(controller);
      steps.add(() -> apply(MUTATING, name, declared.admission(), true, url, bundle));
      steps.add(() -> apply(VALIDATING, name, declared.admission(), false, url, bundle));
      declared
          .conversion()
          .forEach(conversion -> steps.add(() -> convert(conversion, url, bundle)));
    });
    Set<String> faults = new LinkedHashSet<>();
    for (Step step : steps) {
      try {
        step.run();
      } catch (HostException | RuntimeException e) {
        faults.add(String.valueOf(e.getMessage()));
      }
    }
    if (!faults.isEmpty()) {
      throw new HostException(String.join("; ", faults));
    }
  }

  /**
   * Deletes the configurations of this host that are not declared. A replica of an earlier version
   * that still runs writes its own again, until it ends.
   *
   * @return the names of the deleted ones
   */
  List<String> deleteUndeclared() {
    List<String> deleted = new ArrayList<>();
    for (ResourceType<Unstructured> type : List.of(MUTATING, VALIDATING)) {
      boolean mutating = type.equals(MUTATING);
      Resource<Unstructured> configurations = kubernetes.resource(type);
      for (Unstructured one : configurations.list(ListOptions.ALL.labels(selector()))) {
        String name = Objects.requireNonNull(one.getMetadata().getName());
        if (!declared(name, mutating) && configurations.delete(new Request("", name))) {
          deleted.add(type.kind() + " " + name);
        }
      }
    }
    return deleted;
  }

  private boolean declared(String name, boolean mutating) {
    return webhooks.entrySet().stream()
        .filter(one -> name(one.getKey()).equals(name))
        .flatMap(one -> one.getValue().admission().stream())
        .anyMatch(webhook -> webhook.mutating() == mutating);
  }

  private Map<String, String> labels() {
    return Map.of(MANAGED_BY, "coxswain", HOST_NAMESPACE, host.namespace(), HOST_NAME, host.name());
  }

  private String selector() {
    return labels().entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue())
        .sorted()
        .collect(Collectors.joining(","));
  }

  private void apply(
      ResourceType<Unstructured> type,
      String name,
      List<AdmissionWebhook<?>> all,
      boolean mutating,
      String url,
      String bundle) {
    JsonArray list = new JsonArray();
    for (AdmissionWebhook<?> webhook : all) {
      if (webhook.mutating() == mutating) {
        list.add(webhook(webhook, url, bundle));
      }
    }
    if (list.isEmpty()) {
      return;
    }
    JsonObject body = object(type, name);
    body.getAsJsonObject("metadata").add("labels", Json.GSON.toJsonTree(labels()));
    body.add("webhooks", list);
    kubernetes.resource(type).apply(Unstructured.of(body), MANAGER, true);
  }

  private JsonObject webhook(AdmissionWebhook<?> webhook, String url, String bundle) {
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
    node.add("clientConfig", client(webhook.path(), url, bundle));
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

  private JsonObject client(String path, String url, String bundle) {
    JsonObject client = new JsonObject();
    String target = service;
    if (target == null) {
      client.addProperty("url", url + path);
    } else {
      int slash = target.indexOf('/');
      JsonObject node = new JsonObject();
      node.addProperty("namespace", target.substring(0, slash));
      node.addProperty("name", target.substring(slash + 1));
      node.addProperty("path", path);
      node.addProperty("port", 443);
      client.add("service", node);
    }
    client.addProperty("caBundle", bundle);
    return client;
  }

  private void convert(ConversionWebhook conversion, String url, String bundle)
      throws HostException {
    // An apply would create it, and fail for a reason that does not help.
    if (kubernetes.resource(DEFINITIONS).get(new Request("", conversion.definition())).isEmpty()) {
      throw new HostException(
          "the definition "
              + conversion.definition()
              + " does not exist, so its conversion webhook cannot be written into it");
    }
    JsonObject webhook = new JsonObject();
    webhook.add("clientConfig", client(conversion.path(), url, bundle));
    webhook.add("conversionReviewVersions", list("v1"));
    JsonObject node = new JsonObject();
    node.addProperty("strategy", "Webhook");
    node.add("webhook", webhook);
    JsonObject spec = new JsonObject();
    spec.add("conversion", node);
    JsonObject body = object(DEFINITIONS, conversion.definition());
    body.add("spec", spec);
    kubernetes.resource(DEFINITIONS).apply(Unstructured.of(body), MANAGER, true);
  }

  private static JsonObject object(ResourceType<?> type, String name) {
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
