// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Volume claims: defaults, and what may change after the creation; any thread. */
final class ClaimRules implements KindRules {
  private static final List<String> MODES =
      List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
  private static final String FIXED =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

  @Override
  public void defaults(ObjectNode claim) {
    Json.putDefault(Json.ensure(claim, "spec"), "volumeMode", "Filesystem");
    Json.putDefault(Json.ensure(claim, "status"), "phase", "Pending");
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode claim, Causes causes) {
    JsonNode spec = claim.path("spec");
    if (spec.path("accessModes").isEmpty()) {
      causes.required("spec.accessModes", "at least 1 access mode is required");
    }
    for (JsonNode mode : spec.path("accessModes")) {
      Checks.oneOf(mode.asText(), "spec.accessModes", MODES, causes);
    }
    if (!spec.path("resources").path("requests").has("storage")) {
      causes.required("spec.resources[storage]");
    }
    if (old != null && !fixed(old, old).equals(fixed(claim, old))) {
      causes.forbidden("spec", FIXED);
    }
  }

  /** A binder names the volume and may name the class; a bound claim may grow. */
  private static ObjectNode fixed(ObjectNode claim, ObjectNode old) {
    ObjectNode spec = Json.ensure(claim.deepCopy(), "spec");
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
