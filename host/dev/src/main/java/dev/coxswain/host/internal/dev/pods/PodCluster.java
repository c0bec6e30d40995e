// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.host.internal.dev.DevToken;
import dev.coxswain.host.internal.dev.project.ProjectManifests;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.KubernetesOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The API server of the pods, with the rights of who installs the chart. Calls block.
 *
 * <p>Thread rule: any thread.
 */
final class PodCluster {

  private static final String CORE = "/api/v1";

  /** What this command has created, and may delete: a cluster belongs to others, too. */
  private static final String MADE = "coxswain.dev/made-by";

  private static final String MANAGER = "coxswain-pods";

  /** As those of a kubelet: an hour, and a few seconds by which API servers recognize its tokens. */
  private static final int TOKEN_SECONDS = 3607;

  private final ApiTransport api;

  /** For the first requests, which a new API server answers slowly. */
  private final ApiTransport patient;

  private final Path kubeconfig;
  private final String namespace;
  private final JsonObject cluster;

  /**
   * Creates a cluster; nothing is sent.
   *
   * @param kubeconfig the kubeconfig file, whose current context counts
   * @param namespace the namespace of the pods
   * @param patience how long a request to install something may take
   * @throws IOException when the file cannot be used
   */
  PodCluster(Path kubeconfig, String namespace, Duration patience) throws IOException {
    this.kubeconfig = kubeconfig.toAbsolutePath();
    this.namespace = namespace;
    this.api =
        new ApiTransport(
            Kubernetes.accessByKubeconfig(kubeconfig),
            KubernetesOptions.DEFAULT.withUserAgent(MANAGER).withFieldManager(MANAGER));
    this.patient = api.withTimeout(patience);
    this.cluster = cluster(CrdYaml.read(Files.readString(kubeconfig)).getFirst());
  }

  /** Returns the cluster of the current context, with a file of authorities that is found from elsewhere. */
  private JsonObject cluster(JsonObject config) throws IOException {
    JsonObject context = named(config, "contexts", Json.text(config, "current-context"));
    JsonObject entry =
        named(config, "clusters", Json.text(context.getAsJsonObject("context"), "cluster"));
    JsonObject found = entry.getAsJsonObject("cluster").deepCopy();
    String authority = Json.text(found, "certificate-authority");
    if (!authority.isEmpty()) {
      found.addProperty(
          "certificate-authority", kubeconfig.resolveSibling(authority).normalize().toString());
    }
    return found;
  }

  private JsonObject named(JsonObject config, String list, String name) throws IOException {
    if (config.get(list) instanceof JsonArray entries) {
      for (JsonElement entry : entries) {
        if (Json.text(entry, "name").equals(name)) {
          return entry.getAsJsonObject();
        }
      }
    }
    throw new IOException(kubeconfig + ": " + list + " has no \"" + name + "\"");
  }

  Path kubeconfig() {
    return kubeconfig;
  }

  String address() {
    return api.address();
  }

  String namespace() {
    return namespace;
  }

  /** Returns whether there is a node, whose kubelet runs the pods itself. */
  boolean hasNodes() {
    JsonElement items = patient.get(CORE + "/nodes", Map.of("limit", "1")).get("items");
    return items instanceof JsonArray nodes && !nodes.isEmpty();
  }

  /** Creates an object, or changes it to what is given. */
  void apply(JsonObject object) throws HostException {
    try {
      patient.write(
          "PATCH",
          path(object),
          Map.of("fieldManager", MANAGER, "force", "true"),
          object,
          ApiTransport.APPLY_PATCH);
    } catch (ApiStatusException e) {
      throw new HostException(
          "%s %s is refused: %s"
              .formatted(
                  ProjectManifests.kind(object), ProjectManifests.name(object), e.getMessage()),
          e);
    }
  }

  private static String path(JsonObject object) {
    String version = Json.text(object, "apiVersion");
    String plural = ProjectManifests.kind(object).toLowerCase(Locale.ROOT);
    plural = plural.endsWith("y") ? plural.substring(0, plural.length() - 1) + "ies" : plural + "s";
    String in = Json.text(object.get("metadata"), "namespace");
    return (version.contains("/") ? "/apis/" + version : CORE)
        + (in.isEmpty() ? "" : "/namespaces/" + in)
        + "/"
        + plural
        + "/"
        + ProjectManifests.name(object);
  }

  private String inNamespace(String path) {
    return CORE + "/namespaces/" + namespace + "/" + path;
  }

  /** Returns the data of a ConfigMap or Secret. */
  JsonObject data(String resource, String name) {
    return Objects.requireNonNullElse(
        api.get(inNamespace(resource + "/" + name), Map.of()).getAsJsonObject("data"),
        new JsonObject());
  }

  /** Creates the namespace unless it is there; returns whether this command has, now or earlier. */
  boolean createNamespace() throws HostException {
    JsonObject found = find(CORE + "/namespaces/" + namespace);
    if (found != null) {
      return isMade(found);
    }
    JsonObject object = object("v1", "Namespace", null, namespace);
    mark(object);
    apply(object);
    return true;
  }

  private static void mark(JsonObject object) {
    JsonObject annotations = new JsonObject();
    annotations.addProperty(MADE, MANAGER);
    object.getAsJsonObject("metadata").add("annotations", annotations);
  }

  private static boolean isMade(JsonObject object) {
    JsonElement annotations = object.getAsJsonObject("metadata").get("annotations");
    return annotations != null && Json.text(annotations, MADE).equals(MANAGER);
  }

  /**
   * Fails when something else has created a pod of this name.
   *
   * @throws HostException when it has
   */
  void requireOwnPod(String name) throws HostException {
    JsonObject found = find(inNamespace("pods/" + name));
    if (found != null && !isMade(found)) {
      throw new HostException(
          "the pod %s in the namespace %s was not created by coxswain pods: use another --namespace"
              .formatted(name, namespace));
    }
  }

  /**
   * Creates a pod in place of one of the same name, which an earlier command has left.
   *
   * @throws HostException when something else has created that one
   */
  void createPod(JsonObject pod) throws HostException {
    requireOwnPod(ProjectManifests.name(pod));
    deletePod(ProjectManifests.name(pod));
    mark(pod);
    api.write("POST", inNamespace("pods"), Map.of(), pod, ApiTransport.JSON);
  }

  /** Returns whether a pod is there. */
  boolean hasPod(String name) {
    return find(inNamespace("pods/" + name)) != null;
  }

  /** Returns an object, or null when it is not there. */
  @Nullable JsonObject find(String path) {
    try {
      return api.get(path, Map.of());
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return null;
      }
      throw e;
    }
  }

  /** Writes the status of a pod. */
  void status(String pod, JsonObject status) {
    JsonObject patch = new JsonObject();
    patch.add("status", status);
    api.write(
        "PATCH", inNamespace("pods/" + pod + "/status"), Map.of(), patch, ApiTransport.MERGE_PATCH);
  }

  void deletePod(String name) {
    delete(inNamespace("pods/" + name), Map.of("gracePeriodSeconds", "0"));
  }

  /**
   * Deletes what registers the webhooks of a controller at an address; registrations of the same controller elsewhere
   * are of others.
   */
  void deleteWebhooks(String controller, String url) {
    for (String resource : new String[] {"mutating", "validating"}) {
      String path =
          "/apis/admissionregistration.k8s.io/v1/%swebhookconfigurations/%s"
              .formatted(resource, ProjectManifests.webhookConfiguration(controller));
      JsonObject found = find(path);
      if (found != null && found.toString().contains('"' + url + '/')) {
        delete(path, Map.of());
      }
    }
  }

  private void delete(String path, Map<String, String> query) {
    try {
      api.write("DELETE", path, query, null, ApiTransport.JSON);
    } catch (ApiStatusException e) {
      if (!e.isNotFound()) {
        throw e;
      }
    }
  }

  /**
   * Has the API server make a token of a service account, and writes it into a file at once.
   *
   * @return when to write the next one: after four fifths of its time
   */
  Instant writeToken(String account, Path file) throws IOException {
    JsonObject spec = new JsonObject();
    spec.addProperty("expirationSeconds", TOKEN_SECONDS);
    JsonObject request = new JsonObject();
    request.addProperty("apiVersion", "authentication.k8s.io/v1");
    request.addProperty("kind", "TokenRequest");
    request.add("spec", spec);
    Instant now = Instant.now();
    JsonElement status =
        api.write(
                "POST",
                inNamespace("serviceaccounts/" + account + "/token"),
                Map.of(),
                request,
                ApiTransport.JSON)
            .get("status");
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.deleteIfExists(next);
    DevToken.write(next, Json.text(status, "token"));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Instant end = OffsetDateTime.parse(Json.text(status, "expirationTimestamp")).toInstant();
    return now.plusSeconds((end.getEpochSecond() - now.getEpochSecond()) * 4 / 5);
  }

  /** Returns a kubeconfig for this cluster with the token in a file. */
  String kubeconfig(Path token) {
    JsonObject config = new JsonObject();
    config.addProperty("apiVersion", "v1");
    config.addProperty("kind", "Config");
    config.addProperty("current-context", "pod");
    JsonObject user = new JsonObject();
    user.addProperty("tokenFile", token.toString());
    JsonObject context = new JsonObject();
    context.addProperty("cluster", "pod");
    context.addProperty("user", "pod");
    context.addProperty("namespace", namespace);
    add(config, "cluster", cluster);
    add(config, "user", user);
    add(config, "context", context);
    return CrdYaml.write(config);
  }

  private static void add(JsonObject config, String kind, JsonObject value) {
    JsonObject entry = new JsonObject();
    entry.addProperty("name", "pod");
    entry.add(kind, value);
    JsonArray list = new JsonArray();
    list.add(entry);
    config.add(kind + "s", list);
  }

  /** Returns an object without a specification. */
  static JsonObject object(
      String apiVersion, String kind, @Nullable String namespace, String name) {
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", name);
    if (namespace != null) {
      metadata.addProperty("namespace", namespace);
    }
    JsonObject object = new JsonObject();
    object.addProperty("apiVersion", apiVersion);
    object.addProperty("kind", kind);
    object.add("metadata", metadata);
    return object;
  }
}
