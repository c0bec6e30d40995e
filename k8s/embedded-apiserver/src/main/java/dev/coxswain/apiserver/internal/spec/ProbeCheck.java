// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Field;

/** Rules of probes and life-cycle hooks; any thread. */
final class ProbeCheck {
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
