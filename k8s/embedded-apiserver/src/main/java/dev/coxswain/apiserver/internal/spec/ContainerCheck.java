// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.status.Names;
import dev.coxswain.apiserver.internal.status.Quantities;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /** Rules of requests and limits; any thread. */
  private static final class ResourceCheck {
    private static final List<String> NATIVE =
        List.of("cpu", "memory", "ephemeral-storage", "storage");

    private ResourceCheck() {}

    static void check(Field resources) {
      Field limits = resources.at("limits");
      Field requests = resources.at("requests");
      limits.keys().forEach(name -> one(limits, name));
      for (String name : requests.keys()) {
        one(requests, name);
        BigDecimal request = value(requests.key(name));
        BigDecimal limit = value(limits.key(name));
        if (request != null && limit != null && request.compareTo(limit) > 0) {
          requests
              .key(name)
              .as(requests.path())
              .invalidText(
                  "must be less than or equal to %s limit of %s"
                      .formatted(name, limits.text(name)));
        }
      }
    }

    private static void one(Field resources, String name) {
      Field quantity = resources.key(name);
      String shown = Cause.quote(name);
      Names.qualified(name).forEach(problem -> quantity.invalid(shown, problem));
      if (!name.contains("/") && !NATIVE.contains(name) && !name.startsWith("hugepages-")) {
        quantity.invalid(shown, "must be a standard resource type or fully qualified");
        quantity.invalid(shown, "must be a standard resource for containers");
      }
      BigDecimal value = value(quantity);
      if (value != null && value.signum() < 0) {
        quantity.invalidText("must be greater than or equal to 0");
      }
    }

    private static @Nullable BigDecimal value(Field quantity) {
      return quantity.given() ? Quantities.value(quantity.text()) : null;
    }
  }

  /** Rules of probes and life-cycle hooks; any thread. */
  private static final class ProbeCheck {
    private ProbeCheck() {}

    static void check(Field container) {
      for (Field hook : container.at("lifecycle").each("postStart", "preStop")) {
        if (hook.given()) {
          handler(hook);
        }
      }
      for (Field probe : container.each("livenessProbe", "readinessProbe", "startupProbe")) {
        if (probe.given()) {
          probe(probe, probe.path().endsWith(".readinessProbe"));
        }
      }
    }

    private static void probe(Field probe, boolean readiness) {
      handler(probe);
      probe
          .each(
              "initialDelaySeconds",
              "timeoutSeconds",
              "periodSeconds",
              "successThreshold",
              "failureThreshold")
          .forEach(Field::nonNegative);
      Field grace = probe.at("terminationGracePeriodSeconds");
      grace.positive();
      if (readiness && grace.given()) {
        grace.invalid("must not be set for readinessProbes");
      }
      int threshold = probe.at("successThreshold").value().asInt();
      if (!readiness && threshold != 1) {
        probe.at("successThreshold").invalid(Integer.toString(threshold), "must be 1");
      }
    }

    private static void handler(Field handler) {
      boolean any = false;
      for (Field action : handler.each("exec", "httpGet", "tcpSocket", "grpc", "sleep")) {
        if (!action.given()) {
          continue;
        }
        if (any) {
          action.forbidden("may not specify more than 1 handler type");
          continue;
        }
        any = true;
        switch (action.path().substring(handler.path().length() + 1)) {
          case "exec" -> action.at("command").required();
          case "httpGet" -> {
            action.at("path").required();
            action.at("port").portOrName();
            action.at("scheme").oneOf("HTTP", "HTTPS");
          }
          case "tcpSocket", "grpc" -> action.at("port").portOrName();
          default -> {}
        }
      }
      if (!any) {
        handler.missing("must specify a handler type");
      }
    }
  }
}
