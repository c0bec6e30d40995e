// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.HashSet;
import java.util.Set;

/** Rules of a pod spec, in the order of the real server; any thread. */
public final class PodSpecCheck {
  private PodSpecCheck() {}

  /** Checks a template: the labels of its metadata, and its spec. */
  public static void template(Field template) {
    template.at("metadata", "labels").as(template.path() + ".labels").labels();
    spec(template.at("spec"));
  }

  /** Checks a spec. */
  public static void spec(Field spec) {
    Set<String> volumes = VolumeCheck.check(spec.at("volumes"));
    if (spec.at("containers").required()) {
      ContainerCheck.regular(spec.at("containers"), volumes);
    }
    ContainerCheck.init(spec, volumes);
    hostPorts(spec);
    spec.at("restartPolicy").oneOf("Always", "OnFailure", "Never");
    spec.at("dnsPolicy").oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    spec.at("nodeSelector").labels();
    Set<String> gates = new HashSet<>();
    for (Field gate : spec.at("schedulingGates")) {
      Field name = gate.at("name").as(gate.path());
      name.qualified();
      name.unique(gates);
    }
    spec.each("serviceAccountName", "nodeName").forEach(name -> name.unlessEmpty(Field::subdomain));
    spec.at("activeDeadlineSeconds")
        .range(1, Integer.MAX_VALUE, "must be between 1 and 2147483647, inclusive");
    spec.each("hostname", "subdomain").forEach(name -> name.unlessEmpty(Field::label));
    spec.at("tolerations").forEach(PodSpecCheck::toleration);
    spec.at("priorityClassName").unlessEmpty(Field::subdomain);
    if (spec.at("preemptionPolicy").given()) {
      spec.at("preemptionPolicy").oneOf("PreemptLowerPriority", "Never");
    }
  }

  private static void hostPorts(Field spec) {
    if (!spec.at("hostNetwork").isTrue()) {
      return;
    }
    for (Field container : spec.at("containers")) {
      for (Field port : container.at("ports")) {
        int host = port.at("hostPort").value().asInt();
        if (host != port.at("containerPort").value().asInt()) {
          port.at("hostPort")
              .invalid(
                  Integer.toString(host), "must match `containerPort` when `hostNetwork` is true");
        }
      }
    }
  }

  private static void toleration(Field toleration) {
    Field operator = toleration.at("operator");
    Field effect = toleration.at("effect");
    if (!toleration.at("key").isEmpty()) {
      toleration.at("key").qualified();
    } else if (!operator.text().equals("Exists")) {
      operator.invalidText(
          "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration.at("tolerationSeconds").given() && !effect.text().equals("NoExecute")) {
      effect.invalidText("effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    Field value = toleration.at("value").as(operator.path());
    switch (operator.text()) {
      case "Equal", "" -> value.invalidText(Names.labelValue(value.text()));
      case "Exists" -> {
        if (!value.isEmpty()) {
          value.invalidText("value must be empty when `operator` is 'Exists'");
        }
      }
      default -> operator.notSupported("Equal", "Exists");
    }
    effect.unlessEmpty(e -> e.oneOf("NoSchedule", "PreferNoSchedule", "NoExecute"));
  }
}
