// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Addresses, ports and defaults of services; any thread. */
final class ServiceRules implements KindRules {
  @Override
  public void prepare(ObjectNode service) {
    ObjectNode spec = Json.ensure(service, "spec");
    Json.putDefault(spec, "type", "ClusterIP");
    if (!Json.text(spec, "type").equals("ExternalName")) {
      if (Json.text(spec, "clusterIP").isEmpty()) {
        // an address of its own, as far as 16 bits go; nothing routes to it
        int hash = Json.text(service.get("metadata"), "uid").hashCode();
        spec.put("clusterIP", "10.96." + ((hash >> 8) & 0xff) + "." + (1 + (hash & 0x7f)));
      }
      if (!spec.has("clusterIPs")) {
        spec.putArray("clusterIPs").add(Json.text(spec, "clusterIP"));
      }
    }
    Json.ensure(Json.ensure(service, "status"), "loadBalancer");
  }

  @Override
  public void merge(ObjectNode old, ObjectNode service) {
    ObjectNode spec = Json.ensure(service, "spec");
    ObjectNode oldSpec = Json.ensure(old, "spec");
    for (String field : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      if (!spec.has(field)) {
        Json.carry(oldSpec, spec, field);
      }
    }
  }

  @Override
  public void defaults(ObjectNode service) {
    ObjectNode spec = Json.ensure(service, "spec");
    Json.putDefault(spec, "type", "ClusterIP");
    Json.putDefault(spec, "sessionAffinity", "None");
    boolean external = Json.text(spec, "type").equals("ExternalName");
    if (!external) {
      if (!spec.has("ipFamilies")) {
        spec.putArray("ipFamilies").add("IPv4");
      }
      Json.putDefault(spec, "ipFamilyPolicy", "SingleStack");
      Json.putDefault(spec, "internalTrafficPolicy", "Cluster");
    }
    boolean nodePort = List.of("NodePort", "LoadBalancer").contains(Json.text(spec, "type"));
    if (nodePort) {
      Json.putDefault(spec, "externalTrafficPolicy", "Cluster");
    }
    int hash = Json.text(service.get("metadata"), "uid").hashCode();
    int i = 0;
    for (JsonNode port : spec.path("ports")) {
      if (port instanceof ObjectNode object) {
        Json.putDefault(object, "protocol", "TCP");
        if (!object.has("targetPort") && object.has("port")) {
          object.set("targetPort", object.get("port"));
        }
        if (nodePort) {
          Json.putDefault(object, "nodePort", 30_000 + Math.floorMod(hash + 37 * i, 2_768));
        }
        i++;
      }
    }
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode service, List<Cause> causes) {
    JsonNode spec = service.path("spec");
    boolean portless =
        Json.text(spec, "type").equals("ExternalName")
            || Json.text(spec, "clusterIP").equals("None");
    if (spec.path("ports").isEmpty() && !portless) {
      causes.add(Cause.required("spec.ports", ""));
    }
    int i = 0;
    for (JsonNode port : spec.path("ports")) {
      String path = "spec.ports[" + i++ + "].";
      range(port.path("port"), path + "port", causes);
      if (port.path("targetPort").isNumber()) {
        range(port.path("targetPort"), path + "targetPort", causes);
      }
    }
    if (old != null) {
      String before = Json.text(old.get("spec"), "clusterIP");
      String now = Json.text(spec, "clusterIP");
      if (!before.isEmpty()
          && !before.equals(now)
          && !Json.text(spec, "type").equals("ExternalName")) {
        causes.add(
            Cause.invalid("spec.clusterIPs[0]", "[\"" + now + "\"]", "may not change once set"));
      }
    }
  }

  private static void range(JsonNode port, String path, List<Cause> causes) {
    long value = port.asLong();
    if (value < 1 || value > 65_535) {
      causes.add(
          Cause.invalid(path, Long.toString(value), "must be between 1 and 65535, inclusive"));
    }
  }

  @Override
  public boolean answersDeleted() {
    return true;
  }
}
