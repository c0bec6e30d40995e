// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Volume claims: what may change after the creation; any thread. */
final class ClaimRules implements KindRules {
  private static final String FIXED =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

  @Override
  public void validate(@Nullable ObjectNode old, Field claim) {
    Field spec = claim.at("spec");
    Field modes = spec.at("accessModes");
    if (modes.isEmpty()) {
      modes.missing("at least 1 access mode is required");
    }
    for (Field mode : modes) {
      mode.as(modes.path())
          .oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
    }
    if (!spec.at("resources", "requests", "storage").given()) {
      spec.at("resources").key("storage").missing();
    }
    if (old != null && !fixed(old, old).equals(fixed(claim.value(), old))) {
      spec.forbidden(FIXED);
    }
  }

  /** A binder names the volume and may name the class; a bound claim may grow. */
  private static ObjectNode fixed(JsonNode claim, ObjectNode old) {
    ObjectNode spec = claim.path("spec").deepCopy();
    for (String field : List.of("volumeName", "storageClassName")) {
      if (!old.path("spec").has(field)) {
        spec.remove(field);
      }
    }
    if (Json.text(old.path("status"), "phase").equals("Bound")) {
      spec.remove("volumeAttributesClassName");
      Json.ensure(spec, "resources").remove("requests");
    }
    return spec;
  }
}
