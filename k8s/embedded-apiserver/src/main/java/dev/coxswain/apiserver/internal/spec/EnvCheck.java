// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;

/** Rules of the environment of a container; any thread. */
final class EnvCheck {
  private static final String[] FIELDS =
      Json.words(
              """
              metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName
              status.hostIP status.hostIPs status.podIP status.podIPs
              """)
          .toArray(String[]::new);
  private static final String[] RESOURCES =
      Json.words(
              """
              limits.cpu limits.ephemeral-storage limits.memory requests.cpu
              requests.ephemeral-storage requests.memory
              """)
          .toArray(String[]::new);
  private static final String TOO_MANY = "may not have more than one field specified at a time";

  private EnvCheck() {}

  static void check(Field container) {
    for (Field env : container.at("env")) {
      if (env.at("name").required()) {
        name(env.at("name"));
      }
      if (env.at("valueFrom").given()) {
        source(env.at("valueFrom"), env.text("value"));
      }
    }
    for (Field from : container.at("envFrom")) {
      from.at("prefix").unlessEmpty(EnvCheck::name);
      int sources = 0;
      for (Field source : from.each("configMapRef", "secretRef")) {
        if (source.given()) {
          sources++;
          if (source.at("name").required()) {
            source.at("name").subdomain();
          }
        }
      }
      if (sources != 1) {
        none(
            container.at("envFrom"),
            sources == 0 ? "must specify one of: `configMapRef` or `secretRef`" : TOO_MANY);
      }
    }
  }

  /** These failures name no value. */
  private static void none(Field field, String why) {
    field.invalid(Cause.quote(""), why);
  }

  private static void name(Field name) {
    if (name.text().chars().anyMatch(c -> c < ' ' || c > '~' || c == '=')) {
      name.invalidText(
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
    }
  }

  private static void source(Field from, String value) {
    int sources = 0;
    for (Field ref :
        from.each(
            "fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")) {
      if (ref.given()) {
        sources++;
        reference(ref);
      }
    }
    if (sources == 0) {
      none(
          from,
          "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
    } else if (!value.isEmpty()) {
      none(from, "may not be specified when `value` is not empty");
    } else if (sources > 1) {
      none(from, TOO_MANY);
    }
  }

  private static void reference(Field ref) {
    switch (ref.path().substring(ref.path().lastIndexOf('.') + 1)) {
      case "fieldRef" -> field(ref.at("fieldPath"));
      case "resourceFieldRef" -> {
        Field resource = ref.at("resource");
        if (resource.required() && !resource.text().matches("(limits|requests)\\.hugepages-.*")) {
          resource.oneOf(RESOURCES);
        }
      }
      case "configMapKeyRef", "secretKeyRef" -> {
        ref.at("name").subdomain();
        if (ref.at("key").required()) {
          ref.at("key").configKey(ref.text("key"));
        }
      }
      default -> {}
    }
  }

  private static void field(Field path) {
    String field = path.text();
    if (!path.required() || field.matches("metadata\\.(annotations|labels)\\['.*'\\]")) {
      return;
    }
    if (field.matches("(metadata|spec|status)\\.\\w+")) {
      path.oneOf(FIELDS);
    } else {
      path.invalidText("error converting fieldPath: field label not supported: " + field);
    }
  }
}
