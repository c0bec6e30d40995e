// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.ServicePorts;
import dev.coxswain.apiserver.internal.status.Field;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Addresses, ports and defaults of services; any thread. */
final class ServiceRules implements KindRules {
  private static final int DAY = 86_400;

  @Override
  public void prepare(ObjectNode service) {
    ObjectNode spec = Json.ensure(service, "spec");
    if (!Json.text(spec, "type").equals("ExternalName")) {
      if (Json.text(spec, "clusterIP").isEmpty()) {
        // an address of its own, as far as 16 bits go; nothing routes to it
        int hash = hash(service);
        spec.put("clusterIP", "10.96." + ((hash >> 8) & 0xff) + "." + (1 + (hash & 0x7f)));
      }
      if (!spec.has("clusterIPs")) {
        spec.putArray("clusterIPs").add(Json.text(spec, "clusterIP"));
      }
    }
  }

  private static int hash(ObjectNode service) {
    return Json.text(service.get("metadata"), "uid").hashCode();
  }

  @Override
  public void merge(ObjectNode old, ObjectNode service) {
    ObjectNode spec = Json.ensure(service, "spec");
    for (String field : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      if (!spec.has(field)) {
        Json.carry(Json.ensure(old, "spec"), spec, field);
      }
    }
  }

  @Override
  public void defaults(ObjectNode service) {
    ObjectNode spec = Json.ensure(service, "spec");
    Json.putDefault(spec, "type", "ClusterIP");
    if (Json.text(spec, "sessionAffinity").equals("ClientIP")) {
      ObjectNode config = Json.ensure(Json.ensure(spec, "sessionAffinityConfig"), "clientIP");
      Json.putDefault(config, "timeoutSeconds", 10_800);
    }
    if (!Json.text(spec, "type").equals("ExternalName")) {
      Json.putDefault(spec, "ipFamilies", Json.array().add("IPv4"));
      Json.putDefault(spec, "ipFamilyPolicy", "SingleStack");
      Json.putDefault(spec, "internalTrafficPolicy", "Cluster");
    }
    boolean balanced = Json.text(spec, "type").equals("LoadBalancer");
    boolean nodePort = balanced || Json.text(spec, "type").equals("NodePort");
    if (nodePort) {
      Json.putDefault(spec, "externalTrafficPolicy", "Cluster");
    }
    if (balanced) {
      Json.putDefault(spec, "allocateLoadBalancerNodePorts", BooleanNode.TRUE);
    }
    int hash = hash(service);
    int i = 0;
    for (JsonNode port : spec.path("ports")) {
      if (port instanceof ObjectNode object) {
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
  public void validate(@Nullable ObjectNode old, Field service) {
    Field spec = service.at("spec");
    Field ports = spec.at("ports");
    String type = spec.text("type");
    boolean external = type.equals("ExternalName");
    boolean headless = spec.text("clusterIP").equals("None");
    Field first = spec.at("clusterIPs").as("spec.clusterIPs[0]");
    if (old != null && !external) {
      String before = Json.text(old.get("spec"), "clusterIP");
      String now = spec.text("clusterIP");
      if (!before.isEmpty() && !before.equals(now)) {
        first.invalid("[\"" + now + "\"]", "may not change once set");
      }
    }
    if (ports.isEmpty() && !headless && !external) {
      ports.missing();
    }
    if (headless && (type.equals("LoadBalancer") || type.equals("NodePort"))) {
      first.invalid("\"None\"", "may not be set to 'None' for " + type + " services");
    }
    if (external) {
      externalName(spec);
    }
    ServicePorts.check(ports);
    spec.at("selector").labels();
    affinity(spec);
    spec.at("externalIPs").forEach(ServiceRules::address);
    spec.at("type").oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
    ServicePorts.unique(ports, type.equals("ClusterIP"));
    policies(spec, type);
    ServicePorts.range(ports);
  }

  private static void externalName(Field spec) {
    for (Field field : spec.each("clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      if (field.given()) {
        field.forbidden("may not be set for ExternalName services");
      }
    }
    Field name = spec.at("externalName");
    Field relative =
        new Field(Json.text(name.text().replaceAll("\\.$", "")), name.path(), name.causes());
    if (relative.required()) {
      relative.subdomain();
    }
  }

  private static void affinity(Field spec) {
    Field affinity = spec.at("sessionAffinity");
    affinity.oneOf("ClientIP", "None");
    Field config = spec.at("sessionAffinityConfig");
    if (affinity.text().equals("None") && config.given()) {
      config.forbidden("must not be set when session affinity is None");
    }
    if (affinity.text().equals("ClientIP")) {
      config
          .at("clientIP", "timeoutSeconds")
          .range(1, DAY, "must be greater than 0 and less than " + DAY);
    }
  }

  private static void address(Field address) {
    try {
      if (InetAddress.ofLiteral(address.text()).isLoopbackAddress()) {
        address.invalidText("may not be in the loopback range (127.0.0.0/8, ::1/128)");
      }
    } catch (IllegalArgumentException e) {
      address.invalidText("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    }
  }

  private static void policies(Field spec, String type) {
    boolean balanced = type.equals("LoadBalancer");
    for (Field field : spec.each("allocateLoadBalancerNodePorts", "loadBalancerClass")) {
      if (field.given() && !balanced) {
        field.forbidden("may only be used when `type` is 'LoadBalancer'");
      }
    }
    Field external = spec.at("externalTrafficPolicy");
    boolean reachable = balanced || type.equals("NodePort") || !spec.at("externalIPs").isEmpty();
    if (!external.isEmpty() && !reachable) {
      external.invalidText("may only be set for externally-accessible services");
    } else {
      external.unlessEmpty(policy -> policy.oneOf("Cluster", "Local"));
    }
    spec.at("internalTrafficPolicy").unlessEmpty(policy -> policy.oneOf("Cluster", "Local"));
  }
}
