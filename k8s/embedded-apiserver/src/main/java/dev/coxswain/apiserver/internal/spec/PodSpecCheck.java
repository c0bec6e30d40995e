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

/** Rules of a pod spec, in the order of the real server; any thread. */
public final class PodSpecCheck {
  private static final List<String> RESTART = List.of("Always", "OnFailure", "Never");
  private static final List<String> DNS =
      List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");

  private PodSpecCheck() {}

  /** Checks a template: the labels and annotations of its metadata, and its spec. */
  public static void template(JsonNode template, String path, Causes causes) {
    Checks.labels(template.path("metadata").path("labels"), path + ".labels", causes);
    spec(template.path("spec"), path + ".spec", causes);
  }

  /** Checks a spec. */
  public static void spec(JsonNode spec, String path, Causes causes) {
    Set<String> volumes = VolumeCheck.check(spec.path("volumes"), path + ".volumes", causes);
    ContainerCheck containers = new ContainerCheck(volumes, causes);
    if (spec.path("containers").isEmpty()) {
      causes.required(path + ".containers");
    } else {
      containers.regular(spec.path("containers"), path + ".containers");
    }
    containers.init(spec, path + ".initContainers");
    hostPorts(spec, path, causes);
    Checks.oneOf(Json.text(spec, "restartPolicy"), path + ".restartPolicy", RESTART, causes);
    Checks.oneOf(Json.text(spec, "dnsPolicy"), path + ".dnsPolicy", DNS, causes);
    Checks.labels(spec.path("nodeSelector"), path + ".nodeSelector", causes);
    names(spec, path, causes);
    JsonNode deadline = spec.path("activeDeadlineSeconds");
    if (deadline.isNumber()
        && (deadline.longValue() < 1 || deadline.longValue() > Integer.MAX_VALUE)) {
      causes.invalid(
          path + ".activeDeadlineSeconds",
          deadline.asText(),
          "must be between 1 and 2147483647, inclusive");
    }
    for (String field : List.of("hostname", "subdomain")) {
      if (!Json.text(spec, field).isEmpty()) {
        Checks.label(Json.text(spec, field), path + "." + field, causes);
      }
    }
    tolerations(spec.path("tolerations"), path + ".tolerations", causes);
    if (!Json.text(spec, "priorityClassName").isEmpty()) {
      Checks.subdomain(Json.text(spec, "priorityClassName"), path + ".priorityClassName", causes);
    }
    if (spec.has("preemptionPolicy")) {
      Checks.oneOf(
          Json.text(spec, "preemptionPolicy"),
          path + ".preemptionPolicy",
          List.of("PreemptLowerPriority", "Never"),
          causes);
    }
  }

  private static void names(JsonNode spec, String path, Causes causes) {
    int i = 0;
    Set<String> gates = new HashSet<>();
    for (JsonNode gate : spec.path("schedulingGates")) {
      String here = path + ".schedulingGates[" + i++ + "]";
      String name = Json.text(gate, "name");
      causes.invalidText(here, name, Names.qualified(name));
      if (!gates.add(name)) {
        causes.duplicate(here, Cause.quote(name));
      }
    }
    for (String field : List.of("serviceAccountName", "nodeName")) {
      if (!Json.text(spec, field).isEmpty()) {
        Checks.subdomain(Json.text(spec, field), path + "." + field, causes);
      }
    }
  }

  private static void hostPorts(JsonNode spec, String path, Causes causes) {
    if (!spec.path("hostNetwork").asBoolean()) {
      return;
    }
    int i = 0;
    for (JsonNode container : spec.path("containers")) {
      int j = 0;
      for (JsonNode port : container.path("ports")) {
        String here = path + ".containers[" + i + "].ports[" + j++ + "].hostPort";
        JsonNode host = port.path("hostPort");
        if (host.asInt() != port.path("containerPort").asInt()) {
          causes.invalid(
              here,
              Integer.toString(host.asInt()),
              "must match `containerPort` when `hostNetwork` is true");
        }
      }
      i++;
    }
  }

  private static void tolerations(JsonNode tolerations, String path, Causes causes) {
    int i = 0;
    for (JsonNode toleration : tolerations) {
      String here = path + "[" + i++ + "]";
      String key = Json.text(toleration, "key");
      String operator = Json.text(toleration, "operator");
      if (!key.isEmpty()) {
        causes.invalidText(here + ".key", key, Names.qualified(key));
      } else if (!operator.equals("Exists")) {
        causes.invalidText(
            here + ".operator",
            operator,
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
      }
      if (toleration.has("tolerationSeconds")
          && !Json.text(toleration, "effect").equals("NoExecute")) {
        causes.invalidText(
            here + ".effect",
            Json.text(toleration, "effect"),
            "effect must be 'NoExecute' when `tolerationSeconds` is set");
      }
      String value = Json.text(toleration, "value");
      switch (operator) {
        case "Equal", "" -> causes.invalidText(here + ".operator", value, Names.labelValue(value));
        case "Exists" -> {
          if (!value.isEmpty()) {
            causes.invalidText(
                here + ".operator", value, "value must be empty when `operator` is 'Exists'");
          }
        }
        default ->
            causes.notSupported(
                here + ".operator",
                Cause.quote(operator),
                Checks.quoted(List.of("Equal", "Exists")));
      }
      String effect = Json.text(toleration, "effect");
      if (!effect.isEmpty()) {
        Checks.oneOf(
            effect,
            here + ".effect",
            List.of("NoSchedule", "PreferNoSchedule", "NoExecute"),
            causes);
      }
    }
  }
}
