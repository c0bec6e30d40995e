// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.internal.run.DocumentReader;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.opentest4j.TestAbortedException;

/**
 * A cluster that exists. A test changes nothing there that it has not made, and removes what it has
 * made.
 *
 * <p>Thread rule: as {@link RealGround}.
 */
final class ClusterGround implements RealGround {

  static final String MANAGER = "coxswain-test";

  private static final int ID_LENGTH = 8;

  private final ServerAccess access;
  private final Kubernetes own;
  private final ApiTransport transport;
  private final ClusterNamespaces namespaces;
  private final ClusterDefinitions definitions;
  private final ClusterResources objects;
  private final String run = UUID.randomUUID().toString().substring(0, ID_LENGTH);
  private final List<String> messages = new ArrayList<>();
  private final UnaryOperator<String> properties;
  private final Map<String, RealGround> others = new TreeMap<>();

  private ClusterGround(ServerAccess access, UnaryOperator<String> properties) {
    this.properties = properties;
    this.access = access;
    this.own = Kubernetes.of(access, KubernetesOptions.DEFAULT);
    this.transport = KubernetesRuntime.of(own).transport();
    this.namespaces = new ClusterNamespaces(transport, run);
    this.definitions = new ClusterDefinitions(transport, run);
    this.objects = new ClusterResources(transport);
  }

  /**
   * Uses the cluster of a kubeconfig.
   *
   * @param property the property that names it, and is in messages
   * @param value as {@link Ground#of} has it
   * @param properties the values of all properties
   * @throws IllegalStateException when it cannot be used, or its server does not answer
   */
  static ClusterGround of(String property, String value, UnaryOperator<String> properties) {
    ClusterGround ground = new ClusterGround(ClusterAccess.of(property, value), properties);
    try {
      ground.own.serverVersion();
      return ground;
    } catch (ApiStatusException e) {
      ground.own.close();
      throw new IllegalStateException("-D%s=%s: %s".formatted(property, value, e.getMessage()), e);
    }
  }

  /** Nothing is to be done: there is nothing of the test before. */
  @Override
  public void beginTest() {}

  @Override
  public RealGround cluster(String name) {
    String property = PROPERTY + "." + name;
    if (properties.apply(property).isBlank()) {
      throw new TestAbortedException(
          "this test needs a further cluster, \"%s\", and cannot run on %s alone: name it with -D%s=KUBECONFIG"
              .formatted(name, describe(), property));
    }
    RealGround other = others.computeIfAbsent(name, _ -> RealGround.of(property, properties));
    if (isOneOfTheOthers(name, other.access().address())) {
      throw new TestAbortedException(
          "-D%s names %s, which the test uses already: each cluster of a test is another one"
              .formatted(property, other.describe()));
    }
    return other;
  }

  /** Two clusters at one server would take the namespaces of each other for those of another run. */
  private boolean isOneOfTheOthers(String name, String address) {
    return access.address().equals(address)
        || others.entrySet().stream()
            .anyMatch(one ->
                !one.getKey().equals(name) && one.getValue().access().address().equals(address));
  }

  @Override
  public String describe() {
    return "the cluster at " + access.address();
  }

  @Override
  public ServerAccess access() {
    return access;
  }

  @Override
  public Interceptor requests(RealRun test, boolean ofUser) {
    return new ClusterRequests(test, this, ofUser);
  }

  ApiTransport transport() {
    return transport;
  }

  ClusterNamespaces namespaces() {
    return namespaces;
  }

  ClusterResources objects() {
    return objects;
  }

  @Override
  public void install(String yaml) {
    for (JsonObject document : DocumentReader.all(yaml)) {
      if (!Json.text(document, "kind").equals(ClusterDefinitions.KIND)) {
        throw new IllegalArgumentException(
            "install takes definitions, and this is a " + Json.text(document, "kind"));
      }
      definitions.install(document);
    }
  }

  @Override
  public void apply(String yaml, OkHttpClient http) {
    ApiTransport ofUser = new ApiTransport(access.withHttp(http), KubernetesOptions.DEFAULT);
    for (JsonObject document : DocumentReader.all(yaml)) {
      if (Json.text(document, "kind").equals(ClusterDefinitions.KIND)) {
        definitions.install(document);
      } else {
        apply(document, ofUser);
      }
    }
  }

  private void apply(JsonObject object, ApiTransport ofUser) {
    JsonElement metadata = object.get("metadata");
    String name = Json.text(metadata, "name");
    String namespace = Json.text(metadata, "namespace");
    String kind = Json.text(object, "kind");
    String path = path(Json.text(object, "apiVersion"), kind, namespace);
    if (path.contains("/namespaces/")) {
      namespaces.require(path.replaceAll(".*/namespaces/([^/]+)/.*", "$1"));
    } else if (kind.equals("Namespace")) {
      namespaces.require(name);
    }
    try {
      ofUser.write(
          "PATCH",
          path + "/" + name,
          Map.of("fieldManager", MANAGER, "force", "true"),
          object,
          ApiTransport.APPLY_PATCH);
    } catch (ApiStatusException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** Returns the path of the collection of a kind. */
  private String path(String apiVersion, String kind, String namespace) {
    String group = (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
    JsonObject served =
        ClusterResources.get(transport, group)
            .orElseThrow(() -> new IllegalArgumentException("no such apiVersion: " + apiVersion));
    for (JsonElement element : served.getAsJsonArray("resources")) {
      JsonObject resource = element.getAsJsonObject();
      String plural = Json.text(resource, "name");
      if (Json.text(resource, "kind").equals(kind) && !plural.contains("/")) {
        String in = namespace.isEmpty() ? "default" : namespace;
        return group
            + (Json.text(resource, "namespaced").equals("true") ? "/namespaces/" + in : "")
            + "/"
            + plural;
      }
    }
    throw new IllegalArgumentException("no kind " + kind + " in " + apiVersion);
  }

  @Override
  public Faults faults() {
    throw new TestAbortedException(
        "faults() cannot run on %s, which does not fail on demand; -D%s=embedded has them"
            .formatted(describe(), PROPERTY));
  }

  @Override
  public void serve(List<ControllerDefinition> all, ControllerEnvironment environment) {
    for (ControllerDefinition definition : all) {
      if (definition instanceof WebhookDefinition) {
        throw new TestAbortedException(
            ("the webhooks of controller \"%s\" cannot run on %s, which would have to reach this"
                    + " process with TLS; -D%s=embedded calls them in the process")
                .formatted(definition.name(), describe(), PROPERTY));
      }
    }
  }

  @Override
  public boolean owns(String namespace) {
    return namespace.isEmpty() || namespaces.owns(namespace);
  }

  /** Its controllers show what they do by events only. */
  @Override
  public void settle() {}

  @Override
  public void removeObjects() {
    objects.deleteThoseOfUser();
  }

  @Override
  public void end() {
    messages.addAll(objects.deleteAll());
  }

  @Override
  @SuppressWarnings("SystemOut") // a test may have no log, and what is left must be seen
  public void close() {
    others.forEach(
        (name, one) -> ClusterResources.attempt("cluster " + name, messages, one::close));
    try {
      namespaces.delete(messages);
      List<String> left = new ArrayList<>(definitions.delete(namespaces::owns));
      ClusterResources.attempt(
          "what is left",
          messages,
          () -> {
            ClusterResources.await(
                () -> namespaces.left().isEmpty() && definitions.left().isEmpty());
            left.addAll(namespaces.left());
            left.addAll(definitions.left());
          });
      left.forEach(one -> messages.add(one + " is left"));
    } finally {
      messages.forEach(one -> System.err.println("coxswain test run " + run + ": " + one));
      own.close();
    }
  }
}
