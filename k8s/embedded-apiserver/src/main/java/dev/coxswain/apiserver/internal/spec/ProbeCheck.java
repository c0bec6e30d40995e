// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.List;

/** Rules of probes and life-cycle hooks; any thread. */
final class ProbeCheck {
  private static final List<String> NUMBERS =
      Json.words(
          "initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold");

  private ProbeCheck() {}

  static void check(JsonNode container, String path, Causes causes) {
    for (String hook : List.of("postStart", "preStop")) {
      JsonNode handler = container.path("lifecycle").path(hook);
      if (handler.isObject()) {
        handler(handler, path + ".lifecycle." + hook, causes);
      }
    }
    for (String field : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
      JsonNode probe = container.path(field);
      if (probe.isObject()) {
        probe(probe, field.equals("readinessProbe"), path + "." + field, causes);
      }
    }
  }

  private static void probe(JsonNode probe, boolean readiness, String path, Causes causes) {
    handler(probe, path, causes);
    for (String field : NUMBERS) {
      Checks.nonNegative(probe.path(field), path + "." + field, causes);
    }
    JsonNode grace = probe.path("terminationGracePeriodSeconds");
    if (grace.isNumber() && grace.longValue() <= 0) {
      causes.invalid(
          path + ".terminationGracePeriodSeconds", grace.asText(), "must be greater than 0");
    }
    if (readiness && grace.isNumber()) {
      causes.invalid(
          path + ".terminationGracePeriodSeconds",
          grace.asText(),
          "must not be set for readinessProbes");
    }
    int threshold = probe.path("successThreshold").asInt();
    if (!readiness && threshold != 1) {
      causes.invalid(path + ".successThreshold", Integer.toString(threshold), "must be 1");
    }
  }

  private static void handler(JsonNode handler, String path, Causes causes) {
    boolean any = false;
    for (String kind : List.of("exec", "httpGet", "tcpSocket", "grpc", "sleep")) {
      JsonNode action = handler.path(kind);
      if (!action.isObject()) {
        continue;
      }
      String here = path + "." + kind;
      if (any) {
        causes.forbidden(here, "may not specify more than 1 handler type");
        continue;
      }
      any = true;
      switch (kind) {
        case "exec" -> {
          if (action.path("command").isEmpty()) {
            causes.required(here + ".command");
          }
        }
        case "httpGet" -> {
          Checks.required(action, "path", here + ".", causes);
          Checks.portOrName(action.path("port"), here + ".port", causes);
          Checks.oneOf(
              Json.text(action, "scheme"), here + ".scheme", List.of("HTTP", "HTTPS"), causes);
        }
        case "tcpSocket", "grpc" -> Checks.portOrName(action.path("port"), here + ".port", causes);
        default -> {}
      }
    }
    if (!any) {
      causes.required(path, "must specify a handler type");
    }
  }
}
