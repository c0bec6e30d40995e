// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules of the ports of a service; any thread. */
public final class ServicePorts {
  private static final int FIRST_NODE_PORT = 30_000;
  private static final int LAST_NODE_PORT = 32_767;

  private ServicePorts() {}

  /** Checks each port; several ports need names. */
  public static void check(JsonNode ports, Causes causes) {
    Set<String> names = new HashSet<>();
    int i = 0;
    for (JsonNode port : ports) {
      String here = "spec.ports[" + i++ + "].";
      String name = Json.text(port, "name");
      if (!name.isEmpty()) {
        Checks.label(name, here + "name", causes);
        if (!names.add(name)) {
          causes.duplicate(here + "name", Cause.quote(name));
        }
      } else if (ports.size() > 1) {
        causes.required(here + "name");
      }
      Checks.port(port.path("port").asLong(), here + "port", causes);
      Checks.oneOf(
          Json.text(port, "protocol"), here + "protocol", List.of("SCTP", "TCP", "UDP"), causes);
      Checks.portOrName(port.path("targetPort"), here + "targetPort", causes);
      String application = Json.text(port, "appProtocol");
      if (port.has("appProtocol")) {
        causes.invalidText(here + "appProtocol", application, Names.qualified(application));
      }
    }
  }

  /** Checks that no port and no node port is there twice, and that there are none of the latter. */
  public static void unique(JsonNode ports, boolean internal, Causes causes) {
    int i = 0;
    for (JsonNode port : ports) {
      String here = "spec.ports[" + i++ + "].nodePort";
      if (internal && port.path("nodePort").asInt() != 0) {
        causes.forbidden(here, "may not be used when `type` is 'ClusterIP'");
      }
    }
    Set<String> nodePorts = new HashSet<>();
    i = 0;
    for (JsonNode port : ports) {
      int number = port.path("nodePort").asInt();
      String here = "spec.ports[" + i++ + "].nodePort";
      if (number != 0 && !nodePorts.add(Json.text(port, "protocol") + number)) {
        causes.duplicate(here, Integer.toString(number));
      }
    }
    Set<String> numbers = new HashSet<>();
    i = 0;
    for (JsonNode port : ports) {
      String protocol = Json.text(port, "protocol");
      String number = port.path("port").asText();
      String here = "spec.ports[" + i++ + "]";
      if (!numbers.add(protocol + number)) {
        String shown =
            "{\"Name\":\"\",\"Protocol\":%s,\"AppProtocol\":null,\"Port\":%s,\"TargetPort\":0,\"NodePort\":0}"
                .formatted(Cause.quote(protocol), number);
        causes.duplicate(here, shown);
      }
    }
  }

  /** Checks the node ports, which the real server does when everything else is right. */
  public static void range(JsonNode ports, Causes causes) {
    if (!causes.isEmpty()) {
      return;
    }
    int i = 0;
    for (JsonNode port : ports) {
      int number = port.path("nodePort").asInt();
      String here = "spec.ports[" + i++ + "].nodePort";
      if (number != 0 && (number < FIRST_NODE_PORT || number > LAST_NODE_PORT)) {
        causes.invalid(
            here,
            Integer.toString(number),
            "provided port is not in the valid range. The range of valid ports is %s-%s"
                .formatted(FIRST_NODE_PORT, LAST_NODE_PORT));
      }
    }
  }
}
