// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.host.internal.dev.project.ProjectManifests;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the pods of a Deployment have in common.
 *
 * <p>Thread rule: immutable, but not the objects.
 *
 * @param deployment the Deployment, with one container
 * @param image its image
 * @param cluster its API server
 * @param folder where their files are made
 * @param logs where their logs are written
 * @param variables variables of this machine, in place of what a cluster has
 * @param arguments arguments besides those of the Deployment
 */
record PodPlan(
    JsonObject deployment,
    ImageLayers image,
    PodCluster cluster,
    Path folder,
    Path logs,
    Map<String, String> variables,
    List<String> arguments) {

  /** Copies what can change. */
  PodPlan {
    variables = Map.copyOf(variables);
    arguments = List.copyOf(arguments);
  }

  /**
   * A probe by HTTP.
   *
   * @param port the port
   * @param path the path
   * @param period the time between two of them
   */
  record Probe(int port, String path, Duration period) {}

  /** Returns the name of a pod, counted from 0. */
  String pod(int number) {
    return pod(ProjectManifests.name(deployment), number);
  }

  private static String pod(String deployment, int number) {
    return deployment + "-" + number;
  }

  /** Deletes the logs of the last run. The folder is beside the chart, so other files in it may be of the user. */
  static void clearLogs(Path logs, String deployment) throws IOException {
    Files.createDirectories(logs);
    for (int i = 0; i < PodsOptions.MAX_REPLICAS; i++) {
      Files.deleteIfExists(log(logs, pod(deployment, i)));
    }
  }

  /** Returns the file of the log of a pod. */
  Path log(String pod) {
    return log(logs, pod);
  }

  private static Path log(Path logs, String pod) {
    return logs.resolve(pod + ".log");
  }

  private static JsonObject template(JsonObject deployment) {
    return deployment.getAsJsonObject("spec").getAsJsonObject("template");
  }

  JsonObject spec() {
    return template(deployment).getAsJsonObject("spec");
  }

  private static JsonObject container(JsonObject deployment) {
    return template(deployment)
        .getAsJsonObject("spec")
        .getAsJsonArray("containers")
        .get(0)
        .getAsJsonObject();
  }

  JsonObject container() {
    return container(deployment);
  }

  /** Returns the object of a pod. */
  JsonObject object(String name) {
    JsonObject object = PodCluster.object("v1", "Pod", cluster.namespace(), name);
    JsonObject labels = template(deployment).getAsJsonObject("metadata").getAsJsonObject("labels");
    object.getAsJsonObject("metadata").add("labels", labels);
    object.add("spec", spec());
    return object;
  }

  String account() {
    return Json.text(spec(), "serviceAccountName");
  }

  Duration grace() {
    return Duration.ofSeconds(spec().get("terminationGracePeriodSeconds").getAsInt());
  }

  /** Returns the ports of a container by their names. */
  static Map<String, Integer> ports(JsonObject deployment) {
    Map<String, Integer> ports = new LinkedHashMap<>();
    for (JsonElement port : container(deployment).getAsJsonArray("ports")) {
      ports.put(Json.text(port, "name"), port.getAsJsonObject().get("containerPort").getAsInt());
    }
    return ports;
  }

  /** Returns the probe that decides whether a pod is ready. */
  Probe readiness() throws HostException {
    JsonObject probe = container().getAsJsonObject("readinessProbe");
    JsonObject get = probe.getAsJsonObject("httpGet");
    Integer port = ports(deployment).get(Json.text(get, "port"));
    if (port == null) {
      throw new HostException("the readiness probe has no port of the container: " + get);
    }
    return new Probe(
        port, Json.text(get, "path"), Duration.ofSeconds(probe.get("periodSeconds").getAsInt()));
  }

  /** Returns the arguments of the container. */
  List<String> ownArguments() {
    List<String> all = new ArrayList<>();
    container().getAsJsonArray("args").forEach(argument -> all.add(argument.getAsString()));
    all.addAll(arguments);
    return all;
  }

  /** Returns the memory limit of the container as the JVM has it, such as {@code 512m}; empty without one. */
  String memory() {
    JsonElement resources = container().get("resources");
    String limit =
        resources instanceof JsonObject found ? Json.text(found.get("limits"), "memory") : "";
    return limit.endsWith("Mi") || limit.endsWith("Gi")
        ? limit.substring(0, limit.length() - 1).toLowerCase(Locale.ROOT)
        : "";
  }
}
