// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Field;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

  /** Rules of the volumes of a pod; any thread. */
  private static final class VolumeCheck {
    /** The field that a source needs. */
    private static final Map<String, String> NEEDED =
        Map.of(
            "configMap", "name",
            "secret", "secretName",
            "hostPath", "path",
            "persistentVolumeClaim", "claimName");

    private VolumeCheck() {}

    /** Checks all volumes; returns the names of the valid ones. */
    static Set<String> check(Field volumes) {
      Set<String> names = new HashSet<>();
      for (Field volume : volumes) {
        Causes causes = volume.causes();
        int before = causes.size();
        sources(volume);
        Field name = volume.at("name");
        if (name.required()) {
          name.label();
        }
        if (causes.size() == before || names.contains(name.text())) {
          name.unique(names);
        }
      }
      return names;
    }

    private static void sources(Field volume) {
      int sources = 0;
      for (String kind : volume.keys()) {
        Field source = volume.at(kind);
        if (kind.equals("name")) {
          continue;
        }
        if (++sources > 1) {
          source.forbidden("may not specify more than 1 volume type");
          continue;
        }
        if (NEEDED.containsKey(kind)) {
          source.at(NEEDED.getOrDefault(kind, "")).required();
        }
        source
            .at("defaultMode")
            .range(0, 511, "must be a number between 0 and 0777 (octal), both inclusive");
        source.at("items").forEach(VolumeCheck::item);
      }
      if (sources == 0) {
        volume.missing("must specify a volume type");
      }
    }

    private static void item(Field item) {
      if (item.at("fieldRef").given() || item.at("resourceFieldRef").given()) {
        return;
      }
      item.at("key").required();
      Field path = item.at("path");
      if (path.required()) {
        if (path.text().startsWith("/")) {
          path.invalidText("must be a relative path");
        }
        if (List.of(path.text().split("/", -1)).contains("..")) {
          path.invalidText("must not contain '..'");
        }
      }
    }
  }
}
