// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Field;
import org.jspecify.annotations.Nullable;

/** Role bindings: what is bound stays; any thread. */
final class BindingRules implements KindRules {
  private static final String GROUP = "rbac.authorization.k8s.io";

  @Override
  public void defaults(ObjectNode binding) {
    for (JsonNode subject : binding.path("subjects")) {
      String kind = Json.text(subject, "kind");
      if (subject instanceof ObjectNode object && (kind.equals("User") || kind.equals("Group"))) {
        Json.putDefault(object, "apiGroup", GROUP);
      }
    }
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field binding) {
    Field role = binding.at("roleRef");
    if (old != null && !old.path("roleRef").equals(role.value())) {
      role.invalid("cannot change roleRef");
    }
    role.at("apiGroup").oneOf(GROUP);
    boolean namespaced = binding.at("metadata", "namespace").given();
    if (namespaced) {
      role.at("kind").oneOf("Role", "ClusterRole");
    } else {
      role.at("kind").oneOf("ClusterRole");
    }
    role.at("name").required();
    binding.at("subjects").forEach(subject -> subject(subject, namespaced));
  }

  private static void subject(Field subject, boolean namespaced) {
    subject.at("name").required();
    switch (subject.text("kind")) {
      case "ServiceAccount" -> {
        subject.at("apiGroup").oneOf("");
        if (!namespaced) {
          subject.at("namespace").required();
        }
      }
      case "User", "Group" -> subject.at("apiGroup").oneOf(GROUP);
      default -> subject.at("kind").notSupported("ServiceAccount", "User", "Group");
    }
  }
}
