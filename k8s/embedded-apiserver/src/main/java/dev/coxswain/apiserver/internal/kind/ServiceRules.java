// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.ServicePorts;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Addresses, ports and defaults of services; any thread. */
final class ServiceRules implements KindRules {
  private static final int DAY = 86_400;
  private static final List<String> TYPES =
      List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");

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
    if (Json.text(spec, "sessionAffinity").equals("ClientIP")) {
      ObjectNode config = Json.ensure(Json.ensure(spec, "sessionAffinityConfig"), "clientIP");
      Json.putDefault(config, "timeoutSeconds", 10_800);
    }
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
    if (Json.text(spec, "type").equals("LoadBalancer")
        && !spec.has("allocateLoadBalancerNodePorts")) {
      spec.put("allocateLoadBalancerNodePorts", true);
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
  public void validate(@Nullable ObjectNode old, ObjectNode service, Causes causes) {
    JsonNode spec = service.path("spec");
    String type = Json.text(spec, "type");
    boolean headless = Json.text(spec, "clusterIP").equals("None");
    if (old != null) {
      fixedAddress(old, spec, type, causes);
    }
    if (spec.path("ports").isEmpty() && !headless && !type.equals("ExternalName")) {
      causes.required("spec.ports");
    }
    if (headless && (type.equals("LoadBalancer") || type.equals("NodePort"))) {
      causes.invalidText(
          "spec.clusterIPs[0]", "None", "may not be set to 'None' for " + type + " services");
    }
    if (type.equals("ExternalName")) {
      externalName(spec, causes);
    }
    ServicePorts.check(spec.path("ports"), causes);
    Checks.labels(spec.path("selector"), "spec.selector", causes);
    affinity(spec, causes);
    addresses(spec.path("externalIPs"), "spec.externalIPs", causes);
    Checks.oneOf(type, "spec.type", TYPES, causes);
    ServicePorts.unique(spec.path("ports"), type.equals("ClusterIP"), causes);
    policies(spec, type, causes);
    ServicePorts.range(spec.path("ports"), causes);
  }

  private static void fixedAddress(ObjectNode old, JsonNode spec, String type, Causes causes) {
    String before = Json.text(old.get("spec"), "clusterIP");
    String now = Json.text(spec, "clusterIP");
    if (!before.isEmpty() && !before.equals(now) && !type.equals("ExternalName")) {
      causes.invalid("spec.clusterIPs[0]", "[\"" + now + "\"]", "may not change once set");
    }
  }

  private static void externalName(JsonNode spec, Causes causes) {
    for (String field : List.of("clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      if (spec.has(field)) {
        causes.forbidden("spec." + field, "may not be set for ExternalName services");
      }
    }
    String name = Json.text(spec, "externalName");
    String relative = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    if (relative.isEmpty()) {
      causes.required("spec.externalName");
    } else {
      Checks.subdomain(relative, "spec.externalName", causes);
    }
  }

  private static void affinity(JsonNode spec, Causes causes) {
    String affinity = Json.text(spec, "sessionAffinity");
    Checks.oneOf(affinity, "spec.sessionAffinity", List.of("ClientIP", "None"), causes);
    JsonNode config = spec.path("sessionAffinityConfig");
    if (affinity.equals("None") && config.isObject()) {
      causes.forbidden(
          "spec.sessionAffinityConfig", "must not be set when session affinity is None");
    }
    JsonNode timeout = config.path("clientIP").path("timeoutSeconds");
    if (affinity.equals("ClientIP")
        && timeout.isNumber()
        && (timeout.longValue() <= 0 || timeout.longValue() > DAY)) {
      causes.invalid(
          "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
          timeout.asText(),
          "must be greater than 0 and less than " + DAY);
    }
  }

  private static void addresses(JsonNode addresses, String path, Causes causes) {
    int i = 0;
    for (JsonNode address : addresses) {
      String here = path + "[" + i++ + "]";
      try {
        if (InetAddress.ofLiteral(address.asText()).isLoopbackAddress()) {
          causes.invalidText(
              here, address.asText(), "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        }
      } catch (IllegalArgumentException e) {
        causes.invalidText(
            here,
            address.asText(),
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
      }
    }
  }

  private static void policies(JsonNode spec, String type, Causes causes) {
    boolean balanced = type.equals("LoadBalancer");
    if (spec.has("allocateLoadBalancerNodePorts") && !balanced) {
      causes.forbidden(
          "spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'");
    }
    if (!Json.text(spec, "loadBalancerClass").isEmpty() && !balanced) {
      causes.forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
    }
    List<String> policies = List.of("Cluster", "Local");
    String external = Json.text(spec, "externalTrafficPolicy");
    if (!external.isEmpty()) {
      if (!balanced && !type.equals("NodePort") && spec.path("externalIPs").isEmpty()) {
        causes.invalidText(
            "spec.externalTrafficPolicy",
            external,
            "may only be set for externally-accessible services");
      } else {
        Checks.oneOf(external, "spec.externalTrafficPolicy", policies, causes);
      }
    }
    String internal = Json.text(spec, "internalTrafficPolicy");
    if (!internal.isEmpty()) {
      Checks.oneOf(internal, "spec.internalTrafficPolicy", policies, causes);
    }
  }
}
