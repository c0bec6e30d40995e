// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Role bindings: what is bound stays; any thread. */
final class BindingRules implements KindRules {
  private static final String GROUP = "rbac.authorization.k8s.io";

  @Override
  public void defaults(ObjectNode binding) {
    Json.putDefault(Json.ensure(binding, "roleRef"), "apiGroup", GROUP);
    for (JsonNode subject : binding.path("subjects")) {
      String kind = Json.text(subject, "kind");
      if (subject instanceof ObjectNode object && (kind.equals("User") || kind.equals("Group"))) {
        Json.putDefault(object, "apiGroup", GROUP);
      }
    }
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode object, Causes causes) {
    JsonNode role = object.path("roleRef");
    if (old != null && !old.path("roleRef").equals(role)) {
      causes.invalid("roleRef", role.toString(), "cannot change roleRef");
    }
    Checks.oneOf(Json.text(role, "apiGroup"), "roleRef.apiGroup", List.of(GROUP), causes);
    boolean namespaced = object.path("metadata").has("namespace");
    Checks.oneOf(
        Json.text(role, "kind"),
        "roleRef.kind",
        namespaced ? List.of("Role", "ClusterRole") : List.of("ClusterRole"),
        causes);
    Checks.required(role, "name", "roleRef.", causes);
    int i = 0;
    for (JsonNode subject : object.path("subjects")) {
      subject(subject, namespaced, "subjects[" + i++ + "].", causes);
    }
  }

  private static void subject(JsonNode subject, boolean namespaced, String path, Causes causes) {
    Checks.required(subject, "name", path, causes);
    String kind = Json.text(subject, "kind");
    String group = Json.text(subject, "apiGroup");
    switch (kind) {
      case "ServiceAccount" -> {
        if (!group.isEmpty()) {
          causes.notSupported(path + "apiGroup", Cause.quote(group), "\"\"");
        }
        if (!namespaced) {
          Checks.required(subject, "namespace", path, causes);
        }
      }
      case "User", "Group" -> Checks.oneOf(group, path + "apiGroup", List.of(GROUP), causes);
      default ->
          causes.notSupported(
              path + "kind", Cause.quote(kind), "\"ServiceAccount\", \"User\", \"Group\"");
    }
  }
}
