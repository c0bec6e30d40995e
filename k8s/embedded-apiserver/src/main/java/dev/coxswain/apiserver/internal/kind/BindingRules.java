// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Role bindings: what is bound stays; any thread. */
final class BindingRules implements KindRules {
  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode object, List<Cause> causes) {
    JsonNode role = object.path("roleRef");
    if (old != null && !old.path("roleRef").equals(role)) {
      causes.add(Cause.invalid("roleRef", role.toString(), "cannot change roleRef"));
    }
  }
}
