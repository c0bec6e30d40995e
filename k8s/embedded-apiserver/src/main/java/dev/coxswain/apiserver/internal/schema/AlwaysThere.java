// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fields of built-in types that the real server prints even when they are empty, because they are
 * values and not pointers there; any thread.
 */
public final class AlwaysThere {
  private static final String TIMES = "lastProbeTime:null lastTransitionTime:null";
  private static final String CHANGE = "lastTransitionTime:null";

  /** Field and JSON value by the name of a type. */
  private static final Map<String, String> FIELDS =
      Map.ofEntries(
          Map.entry("PodCondition", TIMES),
          Map.entry("JobCondition", TIMES),
          Map.entry("PersistentVolumeClaimCondition", TIMES),
          Map.entry("NodeCondition", "lastHeartbeatTime:null lastTransitionTime:null"),
          Map.entry("DeploymentCondition", "lastUpdateTime:null lastTransitionTime:null"),
          Map.entry("ReplicaSetCondition", CHANGE),
          Map.entry("ReplicationControllerCondition", CHANGE),
          Map.entry("StatefulSetCondition", CHANGE),
          Map.entry("DaemonSetCondition", CHANGE),
          Map.entry("HorizontalPodAutoscalerCondition", CHANGE),
          Map.entry("NamespaceCondition", CHANGE),
          Map.entry("ContainerStateRunning", "startedAt:null"),
          Map.entry("ContainerStateTerminated", "exitCode:0 startedAt:null finishedAt:null"),
          Map.entry(
              "ContainerStatus",
              "state:{} lastState:{} ready:false restartCount:0 image:\"\" imageID:\"\""),
          Map.entry("ReplicaSetStatus", "replicas:0"),
          Map.entry("ReplicationControllerStatus", "replicas:0"),
          Map.entry("StatefulSetStatus", "replicas:0 availableReplicas:0"),
          Map.entry(
              "DaemonSetStatus",
              "currentNumberScheduled:0 numberMisscheduled:0 desiredNumberScheduled:0 numberReady:0"),
          Map.entry(
              "PodDisruptionBudgetStatus",
              "disruptionsAllowed:0 currentHealthy:0 desiredHealthy:0 expectedPods:0"),
          Map.entry("HorizontalPodAutoscalerStatus", "currentMetrics:null desiredReplicas:0"),
          Map.entry("IngressStatus", "loadBalancer:{}"),
          Map.entry("ServiceStatus", "loadBalancer:{}"),
          Map.entry("NodeStatus", "daemonEndpoints:{\"kubeletEndpoint\":{\"Port\":0}}"));

  private AlwaysThere() {}

  /** Adds the top-level {@code spec} and {@code status} that every object of its kind has. */
  public static void sections(ObjectNode object, Schema schema) {
    for (String section : List.of("spec", "status")) {
      Schema field = schema.properties().get(section);
      if (field != null && !field.custom() && field.type() == Schema.Type.OBJECT) {
        Json.ensure(object, section);
      }
    }
  }

  /** Adds missing fields to an object and everything in it. */
  public static void fill(ObjectNode object, Schema schema) {
    if (schema.custom()) {
      return;
    }
    String fields = FIELDS.get(String.valueOf(schema.reference()));
    if (fields != null) {
      for (String field : fields.split(" ", -1)) {
        int colon = field.indexOf(':');
        if (!object.has(field.substring(0, colon))) {
          object.set(field.substring(0, colon), Json.parse(field.substring(colon + 1)));
        }
      }
    }
    for (Map.Entry<String, JsonNode> e : new ArrayList<>(object.properties())) {
      Schema inner = schema.field(e.getKey());
      if (e.getValue() instanceof ObjectNode child) {
        fill(child, inner);
      } else if (inner.type() == Schema.Type.LIST) {
        for (JsonNode item : e.getValue()) {
          if (item instanceof ObjectNode child) {
            fill(child, inner.items());
          }
        }
      }
    }
  }
}
