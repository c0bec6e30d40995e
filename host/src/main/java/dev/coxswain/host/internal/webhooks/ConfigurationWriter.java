// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import com.google.gson.JsonObject;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.webhook.ConversionWebhook;
import dev.coxswain.k8s.webhook.WebhookManifests;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.membership.Membership;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
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
  private static final ResourceType<Unstructured> DEFINITIONS = WebhookManifests.DEFINITIONS;

  private final Kubernetes kubernetes;
  private final WebhookDirectory webhooks;
  private final @Nullable String service;
  private final Membership host;

  /**
   * Creates a writer.
   *
   * @param webhooks what is declared
   * @param service the Service of the server, as {@code NAMESPACE/NAME}; null for a URL
   * @param host what the replicas of this host have in common, and no other host has
   */
  ConfigurationWriter(
      Kubernetes kubernetes, WebhookDirectory webhooks, @Nullable String service, Membership host) {
    this.kubernetes = kubernetes;
    this.webhooks = webhooks;
    this.service = service;
    this.host = host;
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
   * @return by controller what could not be written and why, such as a definition that does not
   *     exist
   */
  Map<String, String> write(String url, byte[] authority) {
    String bundle = Base64.getEncoder().encodeToString(authority);
    Map<String, String> faults = new TreeMap<>();
    webhooks
        .byController()
        .forEach((controller, declared) -> {
          List<Step> steps = new ArrayList<>();
          steps.add(() -> apply(WebhookManifests.MUTATING, controller, declared, url, bundle));
          steps.add(() -> apply(WebhookManifests.VALIDATING, controller, declared, url, bundle));
          declared
              .conversion()
              .forEach(conversion -> steps.add(() -> convert(conversion, url, bundle)));
          String fault = faults(steps);
          if (!fault.isEmpty()) {
            faults.put(controller, fault);
          }
        });
    return faults;
  }

  private static String faults(List<Step> steps) {
    Set<String> faults = new LinkedHashSet<>();
    for (Step step : steps) {
      try {
        step.run();
      } catch (HostException | RuntimeException e) {
        faults.add(String.valueOf(e.getMessage()));
      }
    }
    return String.join("; ", faults);
  }

  /**
   * Deletes the configurations of this host that are not declared. A replica of an earlier version
   * that still runs writes its own again, until it ends.
   *
   * @param known whether all that is declared is known now; otherwise only configurations of
   *     controllers are deleted that had webhooks in this process
   * @return the names of the deleted ones
   */
  List<String> deleteUndeclared(BooleanSupplier known) {
    Set<String> former =
        webhooks.former().stream().map(WebhookManifests::name).collect(Collectors.toSet());
    long version = webhooks.version();
    Map<String, Webhooks> present = webhooks.byController();
    // Asked after what is present was read: what has changed since is not taken for undeclared.
    boolean complete = known.getAsBoolean() && webhooks.version() == version;
    if (!complete && former.isEmpty()) {
      return List.of();
    }
    List<String> deleted = new ArrayList<>();
    for (ResourceType<Unstructured> type :
        List.of(WebhookManifests.MUTATING, WebhookManifests.VALIDATING)) {
      boolean mutating = type.equals(WebhookManifests.MUTATING);
      Resource<Unstructured> configurations = kubernetes.resource(type);
      for (Unstructured one : configurations.list(ListOptions.ALL.labels(selector()))) {
        String name = Objects.requireNonNull(one.getMetadata().getName());
        if ((complete || former.contains(name))
            && !declared(present, name, mutating)
            && configurations.delete(new Request("", name))) {
          deleted.add(type.kind() + " " + name);
        }
      }
    }
    return deleted;
  }

  private static boolean declared(Map<String, Webhooks> present, String name, boolean mutating) {
    return present.entrySet().stream()
        .filter(one -> WebhookManifests.name(one.getKey()).equals(name))
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
      String controller,
      Webhooks webhooks,
      String url,
      String bundle) {
    WebhookManifests.configuration(
            type, controller, webhooks, labels(), path -> client(path, url, bundle))
        .ifPresent(body -> kubernetes.resource(type).apply(body, MANAGER, true));
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
    JsonObject spec = new JsonObject();
    spec.add("conversion", WebhookManifests.conversion(client(conversion.path(), url, bundle)));
    JsonObject body = WebhookManifests.object(DEFINITIONS, conversion.definition());
    body.add("spec", spec);
    kubernetes.resource(DEFINITIONS).apply(Unstructured.of(body), MANAGER, true);
  }
}
