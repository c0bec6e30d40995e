// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.HashSet;
import java.util.Set;

/** Rules of the ports of a service; any thread. */
public final class ServicePorts {
  private static final int FIRST_NODE_PORT = 30_000;
  private static final int LAST_NODE_PORT = 32_767;

  private ServicePorts() {}

  /** Checks each port; several ports need names. */
  public static void check(Field ports) {
    Set<String> names = new HashSet<>();
    for (Field port : ports) {
      Field name = port.at("name");
      if (!name.isEmpty()) {
        name.label();
        name.unique(names);
      } else if (ports.value().size() > 1) {
        name.missing();
      }
      port.at("port").port();
      port.at("protocol").oneOf("SCTP", "TCP", "UDP");
      port.at("targetPort").portOrName();
      if (port.at("appProtocol").given()) {
        port.at("appProtocol").qualified();
      }
    }
  }

  /** Checks that no port and no node port is there twice, and that there are none of the latter. */
  public static void unique(Field ports, boolean internal) {
    for (Field port : ports) {
      if (internal && nodePort(port) != 0) {
        port.at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
      }
    }
    Set<String> nodePorts = new HashSet<>();
    for (Field port : ports) {
      if (nodePort(port) != 0 && !nodePorts.add(port.text("protocol") + nodePort(port))) {
        port.at("nodePort").duplicate(Integer.toString(nodePort(port)));
      }
    }
    Set<String> numbers = new HashSet<>();
    for (Field port : ports) {
      String protocol = port.text("protocol");
      String number = port.at("port").value().asText();
      if (!numbers.add(protocol + number)) {
        port.duplicate(
            "{\"Name\":\"\",\"Protocol\":%s,\"AppProtocol\":null,\"Port\":%s,\"TargetPort\":0,\"NodePort\":0}"
                .formatted(Cause.quote(protocol), number));
      }
    }
  }

  private static int nodePort(Field port) {
    return port.at("nodePort").value().asInt();
  }

  /** Checks the node ports, which the real server does when everything else is right. */
  public static void range(Field ports) {
    if (ports.causes().isEmpty()) {
      for (Field port : ports) {
        if (nodePort(port) != 0) {
          port.at("nodePort")
              .range(
                  FIRST_NODE_PORT,
                  LAST_NODE_PORT,
                  "provided port is not in the valid range. The range of valid ports is %s-%s"
                      .formatted(FIRST_NODE_PORT, LAST_NODE_PORT));
        }
      }
    }
  }
}
