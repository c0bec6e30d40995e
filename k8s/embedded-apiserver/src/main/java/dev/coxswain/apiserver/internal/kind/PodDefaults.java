// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.List;

/** Defaults that pods and pod templates share; any thread. */
final class PodDefaults {
  private static final int FILE_MODE = 420; // 0644
  private static final List<String> CONTAINERS =
      List.of("containers", "initContainers", "ephemeralContainers");

  private PodDefaults() {}

  static void spec(ObjectNode spec) {
    Json.putDefault(spec, "restartPolicy", "Always");
    Json.putDefault(spec, "terminationGracePeriodSeconds", 30);
    Json.putDefault(spec, "dnsPolicy", "ClusterFirst");
    Json.putDefault(spec, "securityContext", Json.object());
    Json.putDefault(spec, "schedulerName", "default-scheduler");
    for (String field : CONTAINERS) {
      for (JsonNode container : spec.path(field)) {
        if (container instanceof ObjectNode object) {
          container(object);
        }
      }
    }
    for (JsonNode volume : spec.path("volumes")) {
      if (volume instanceof ObjectNode alone && volume.size() == 1 && volume.has("name")) {
        alone.putObject("emptyDir");
      }
      for (String source : List.of("secret", "configMap", "downwardAPI", "projected")) {
        if (volume.get(source) instanceof ObjectNode object) {
          Json.putDefault(object, "defaultMode", FILE_MODE);
        }
      }
    }
  }

  private static void container(ObjectNode container) {
    Json.putDefault(container, "resources", Json.object());
    Json.putDefault(container, "terminationMessagePath", "/dev/termination-log");
    Json.putDefault(container, "terminationMessagePolicy", "File");
    String image = Json.text(container, "image");
    String last = image.substring(image.lastIndexOf('/') + 1);
    boolean latest = (!last.contains(":") && !last.contains("@")) || last.endsWith(":latest");
    Json.putDefault(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    for (JsonNode port : container.path("ports")) {
      if (port instanceof ObjectNode object) {
        Json.putDefault(object, "protocol", "TCP");
      }
    }
    for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
      if (container.get(probe) instanceof ObjectNode object) {
        Json.putDefault(object, "timeoutSeconds", 1);
        Json.putDefault(object, "periodSeconds", 10);
        Json.putDefault(object, "successThreshold", 1);
        Json.putDefault(object, "failureThreshold", 3);
        if (object.get("httpGet") instanceof ObjectNode get) {
          Json.putDefault(get, "scheme", "HTTP");
          Json.putDefault(get, "path", "/");
        }
      }
    }
    if (container.path("resources") instanceof ObjectNode resources
        && resources.get("limits") instanceof ObjectNode limits) {
      ObjectNode requests = Json.ensure(resources, "requests");
      limits.properties().forEach(e -> Json.putDefault(requests, e.getKey(), e.getValue()));
    }
    for (JsonNode env : container.path("env")) {
      if (Json.at(env, "valueFrom", "fieldRef") instanceof ObjectNode ref) {
        Json.putDefault(ref, "apiVersion", "v1");
      }
    }
  }
}
