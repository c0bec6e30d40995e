// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Table cells of single built-in kinds, as in the real server; any thread. */
final class MoreCells {
  private static final Map<String, String> ACCESS_MODES =
      Map.of(
          "ReadWriteOnce", "RWO",
          "ReadOnlyMany", "ROX",
          "ReadWriteMany", "RWX",
          "ReadWriteOncePod", "RWOP");

  private MoreCells() {}

  /** The text at a path, empty when there is none. */
  static String plain(ObjectNode object, String... path) {
    return Cells.at(object, path).asText("");
  }

  private static String join(List<String> parts, String separator) {
    return parts.isEmpty() ? Cells.NONE : String.join(separator, parts);
  }

  /** Pairs of a map, as in {@code a=b,c=d}. */
  static String map(JsonNode map) {
    Map<String, String> sorted = new TreeMap<>();
    map.properties().forEach(e -> sorted.put(e.getKey(), e.getValue().asText()));
    List<String> parts = new ArrayList<>();
    sorted.forEach((key, value) -> parts.add(key + "=" + value));
    return join(parts, ",");
  }

  /** A selector in its object form as text. */
  static String selector(JsonNode selector) {
    List<String> parts = new ArrayList<>();
    if (!selector.path("matchLabels").isEmpty()) {
      parts.add(map(selector.path("matchLabels")));
    }
    for (JsonNode e : selector.path("matchExpressions")) {
      String key = Json.text(e, "key");
      List<String> values = Json.texts(e.path("values"));
      String list = "(" + String.join(",", values) + ")";
      parts.add(
          switch (Json.text(e, "operator")) {
            case "In" -> key + " in " + list;
            case "NotIn" -> key + " notin " + list;
            case "DoesNotExist" -> "!" + key;
            default -> key;
          });
    }
    return join(parts, ",");
  }

  static String containers(ObjectNode workload, String field) {
    List<String> parts = new ArrayList<>();
    workload.at("/spec/template/spec/containers").forEach(c -> parts.add(c.path(field).asText()));
    return String.join(",", parts);
  }

  static String jobContainers(ObjectNode cronJob, String field) {
    return Json.at(cronJob, "spec", "jobTemplate") instanceof ObjectNode job
        ? containers(job, field)
        : Cells.NONE;
  }

  /** Time since a point in time, or none. */
  static String since(ObjectNode object, String... path) {
    String time = Cells.at(object, path).asText("");
    return time.isEmpty() ? Cells.NONE : Cells.since(time);
  }

  /** The run time of a job, so far when it is running; empty before its start. */
  static String duration(ObjectNode job) {
    String start = Cells.at(job, "status", "startTime").asText("");
    String end = Cells.at(job, "status", "completionTime").asText("");
    if (start.isEmpty()) {
      return "";
    }
    return end.isEmpty()
        ? Cells.since(start)
        : Cells.human(Duration.between(Instant.parse(start), Instant.parse(end)));
  }

  static String externalAddress(ObjectNode service) {
    if (plain(service, "spec", "type").equals("ExternalName")) {
      return plain(service, "spec", "externalName");
    }
    List<String> parts = Json.texts(service.at("/spec/externalIPs"));
    parts.addAll(addresses(service));
    boolean pending = parts.isEmpty() && plain(service, "spec", "type").equals("LoadBalancer");
    return pending ? "<pending>" : join(parts, ",");
  }

  private static List<String> addresses(ObjectNode object) {
    List<String> parts = new ArrayList<>();
    for (JsonNode ingress : object.at("/status/loadBalancer/ingress")) {
      parts.add(ingress.path("ip").asText(ingress.path("hostname").asText()));
    }
    return parts;
  }

  static String ingressAddress(ObjectNode ingress) {
    return String.join(",", addresses(ingress));
  }

  static String hosts(ObjectNode ingress) {
    List<String> hosts = new ArrayList<>();
    for (JsonNode rule : ingress.at("/spec/rules")) {
      if (!Json.text(rule, "host").isEmpty()) {
        hosts.add(Json.text(rule, "host"));
      }
    }
    return hosts.isEmpty() ? "*" : String.join(",", hosts);
  }

  static String scaleTarget(ObjectNode autoscaler) {
    return plain(autoscaler, "spec", "scaleTargetRef", "kind")
        + "/"
        + plain(autoscaler, "spec", "scaleTargetRef", "name");
  }

  static String accessModes(ObjectNode volume, String part) {
    List<String> parts = new ArrayList<>();
    for (JsonNode mode : volume.path(part).path("accessModes")) {
      parts.add(ACCESS_MODES.getOrDefault(mode.asText(), mode.asText()));
    }
    return String.join(",", parts);
  }

  static String quota(ObjectNode quota, boolean limits) {
    Map<String, String> sorted = new TreeMap<>();
    for (Map.Entry<String, JsonNode> e : quota.at("/spec/hard").properties()) {
      if (e.getKey().startsWith("limits.") == limits) {
        String used = quota.path("status").path("used").path(e.getKey()).asText("0");
        sorted.put(e.getKey(), used + "/" + e.getValue().asText());
      }
    }
    List<String> parts = new ArrayList<>();
    sorted.forEach((name, text) -> parts.add(name + ": " + text));
    return String.join(", ", parts);
  }

  static String endpoints(ObjectNode endpoints) {
    List<String> parts = new ArrayList<>();
    for (JsonNode subset : endpoints.path("subsets")) {
      for (JsonNode address : subset.path("addresses")) {
        for (JsonNode port : subset.path("ports")) {
          parts.add(Json.text(address, "ip") + ":" + port.path("port").asText());
        }
      }
    }
    return some(parts);
  }

  static String slicePorts(ObjectNode slice) {
    List<String> parts = new ArrayList<>();
    slice.path("ports").forEach(p -> parts.add(p.path("port").asText()));
    return parts.isEmpty() ? "<unset>" : some(parts);
  }

  static String sliceAddresses(ObjectNode slice) {
    List<String> parts = new ArrayList<>();
    for (JsonNode endpoint : slice.path("endpoints")) {
      endpoint.path("addresses").forEach(a -> parts.add(a.asText()));
    }
    return parts.isEmpty() ? "<unset>" : some(parts);
  }

  /** The first three, and how many more there are. */
  private static String some(List<String> parts) {
    int more = parts.size() - 3;
    return more > 0 ? String.join(",", parts.subList(0, 3)) + +more + " more..." : join(parts, ",");
  }
}
