// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules of the containers of a pod; used once, one thread. */
final class ContainerCheck {
  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

  private final Set<String> volumes;
  private final Causes causes;

  ContainerCheck(Set<String> volumes, Causes causes) {
    this.volumes = volumes;
    this.causes = causes;
  }

  /** Checks the regular containers. */
  void regular(JsonNode containers, String path) {
    Set<String> names = new HashSet<>();
    int i = 0;
    for (JsonNode container : containers) {
      String here = path + "[" + i++ + "]";
      common(container, here);
      unique(names, Json.text(container, "name"), here);
      ProbeCheck.check(container, here, causes);
      if (container.has("restartPolicy")) {
        causes.forbidden(here + ".restartPolicy", "may not be set for non-init containers");
      }
    }
    hostPorts(containers, path);
  }

  /** Checks the init containers of a spec. */
  void init(JsonNode spec, String path) {
    Set<String> names = new HashSet<>();
    spec.path("containers").forEach(c -> names.add(Json.text(c, "name")));
    int i = 0;
    for (JsonNode container : spec.path("initContainers")) {
      String here = path + "[" + i++ + "]";
      common(container, here);
      boolean sidecar = Json.text(container, "restartPolicy").equals("Always");
      if (!Json.text(container, "name").isEmpty()) {
        unique(names, Json.text(container, "name"), here);
      }
      if (sidecar) {
        ProbeCheck.check(container, here, causes);
        continue;
      }
      for (String field : List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")) {
        if (container.has(field)) {
          causes.forbidden(
              here + "." + field,
              "may not be set for init containers without restartPolicy=Always");
        }
      }
    }
  }

  private void unique(Set<String> names, String name, String path) {
    if (!names.add(name)) {
      causes.duplicate(path + ".name", Cause.quote(name));
    }
  }

  private void common(JsonNode container, String path) {
    String name = Json.text(container, "name");
    if (name.isEmpty()) {
      causes.required(path + ".name");
    } else {
      Checks.label(name, path + ".name", causes);
    }
    Checks.required(container, "image", path + ".", causes);
    Checks.oneOf(
        Json.text(container, "terminationMessagePolicy"),
        path + ".terminationMessagePolicy",
        List.of("File", "FallbackToLogsOnError"),
        causes);
    ports(container.path("ports"), path + ".ports");
    EnvCheck.check(container, path, causes);
    mounts(container.path("volumeMounts"), path + ".volumeMounts");
    Checks.oneOf(
        Json.text(container, "imagePullPolicy"),
        path + ".imagePullPolicy",
        List.of("Always", "IfNotPresent", "Never"),
        causes);
    ResourceCheck.check(container.path("resources"), path + ".resources", causes);
  }

  private void ports(JsonNode ports, String path) {
    Set<String> names = new HashSet<>();
    int i = 0;
    for (JsonNode port : ports) {
      String here = path + "[" + i++ + "].";
      String name = Json.text(port, "name");
      if (!name.isEmpty()) {
        List<String> problems = Checks.portName(name);
        causes.invalidText(here + "name", name, problems);
        if (problems.isEmpty() && !names.add(name)) {
          causes.duplicate(here + "name", Cause.quote(name));
        }
      }
      long number = port.path("containerPort").asLong();
      if (number == 0) {
        causes.required(here + "containerPort");
      } else {
        Checks.port(number, here + "containerPort", causes);
      }
      if (port.path("hostPort").asLong() != 0) {
        Checks.port(port.path("hostPort").asLong(), here + "hostPort", causes);
      }
      Checks.oneOf(Json.text(port, "protocol"), here + "protocol", PROTOCOLS, causes);
    }
  }

  private void mounts(JsonNode mounts, String path) {
    Set<String> points = new HashSet<>();
    int i = 0;
    for (JsonNode mount : mounts) {
      String here = path + "[" + i++ + "].";
      String name = Json.text(mount, "name");
      Checks.required(mount, "name", here, causes);
      if (!volumes.contains(name)) {
        causes.notFound(here + "name", name);
      }
      Checks.required(mount, "mountPath", here, causes);
      String point = Json.text(mount, "mountPath");
      if (!points.add(point)) {
        causes.invalidText(here + "mountPath", point, "must be unique");
      }
    }
  }

  private void hostPorts(JsonNode containers, String path) {
    Set<String> taken = new HashSet<>();
    int i = 0;
    for (JsonNode container : containers) {
      int j = 0;
      for (JsonNode port : container.path("ports")) {
        String here = path + "[" + i + "].ports[" + j++ + "].hostPort";
        int number = port.path("hostPort").asInt();
        String place = Json.text(port, "protocol") + "/" + Json.text(port, "hostIP") + "/" + number;
        if (number != 0 && !taken.add(place)) {
          causes.duplicate(here, Cause.quote(place));
        }
      }
      i++;
    }
  }
}
