// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.HashSet;
import java.util.Set;

/** Rules of the containers of a pod; any thread. */
final class ContainerCheck {
  private ContainerCheck() {}

  /** Checks the regular containers; {@code volumes} are the names they may mount. */
  static void regular(Field containers, Set<String> volumes) {
    Set<String> names = new HashSet<>();
    for (Field container : containers) {
      common(container, volumes);
      container.at("name").unique(names);
      ProbeCheck.check(container);
      if (container.at("restartPolicy").given()) {
        container.at("restartPolicy").forbidden("may not be set for non-init containers");
      }
    }
    Set<String> taken = new HashSet<>();
    for (Field container : containers) {
      for (Field port : container.at("ports")) {
        int number = port.at("hostPort").value().asInt();
        String place = port.text("protocol") + "/" + port.text("hostIP") + "/" + number;
        if (number != 0 && !taken.add(place)) {
          port.at("hostPort").duplicate(Cause.quote(place));
        }
      }
    }
  }

  /** Checks the init containers of a spec. */
  static void init(Field spec, Set<String> volumes) {
    Set<String> names = new HashSet<>();
    spec.at("containers").forEach(c -> names.add(c.text("name")));
    for (Field container : spec.at("initContainers")) {
      common(container, volumes);
      container.at("name").unlessEmpty(name -> name.unique(names));
      if (container.text("restartPolicy").equals("Always")) {
        ProbeCheck.check(container);
        continue;
      }
      for (Field field :
          container.each("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")) {
        if (field.given()) {
          field.forbidden("may not be set for init containers without restartPolicy=Always");
        }
      }
    }
  }

  private static void common(Field container, Set<String> volumes) {
    if (container.at("name").required()) {
      container.at("name").label();
    }
    container.at("image").required();
    container.at("terminationMessagePolicy").oneOf("File", "FallbackToLogsOnError");
    ports(container.at("ports"));
    EnvCheck.check(container);
    mounts(container.at("volumeMounts"), volumes);
    container.at("imagePullPolicy").oneOf("Always", "IfNotPresent", "Never");
    ResourceCheck.check(container.at("resources"));
  }

  private static void ports(Field ports) {
    Set<String> names = new HashSet<>();
    for (Field port : ports) {
      Field name = port.at("name");
      if (!name.isEmpty() && name.portName()) {
        name.unique(names);
      }
      Field number = port.at("containerPort");
      if (number.value().asLong() == 0) {
        number.missing();
      } else {
        number.port();
      }
      if (port.at("hostPort").value().asLong() != 0) {
        port.at("hostPort").port();
      }
      port.at("protocol").oneOf("SCTP", "TCP", "UDP");
    }
  }

  private static void mounts(Field mounts, Set<String> volumes) {
    Set<String> points = new HashSet<>();
    for (Field mount : mounts) {
      mount.at("name").required();
      if (!volumes.contains(mount.text("name"))) {
        mount.at("name").notFound();
      }
      mount.at("mountPath").required();
      if (!points.add(mount.text("mountPath"))) {
        mount.at("mountPath").invalidText("must be unique");
      }
    }
  }
}
