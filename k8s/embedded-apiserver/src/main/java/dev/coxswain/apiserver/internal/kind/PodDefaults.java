// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Defaults of pods and pod templates that depend on other fields; any thread. */
final class PodDefaults {
  private PodDefaults() {}

  static void spec(@Nullable JsonNode spec) {
    if (spec == null) {
      return;
    }
    for (String field : List.of("containers", "initContainers", "ephemeralContainers")) {
      for (JsonNode container : spec.path(field)) {
        if (container instanceof ObjectNode object) {
          container(object);
        }
      }
    }
    for (JsonNode volume : spec.path("volumes")) {
      if (volume instanceof ObjectNode alone && volume.size() == 1 && volume.has("name")) {
        alone.putObject("emptyDir");
      }
    }
  }

  private static void container(ObjectNode container) {
    String image = Json.text(container, "image");
    String last = image.substring(image.lastIndexOf('/') + 1);
    boolean latest = (!last.contains(":") && !last.contains("@")) || last.endsWith(":latest");
    Json.putDefault(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    if (Json.at(container, "resources", "limits") instanceof ObjectNode limits) {
      ObjectNode requests = Json.ensure(Json.ensure(container, "resources"), "requests");
      limits.properties().forEach(e -> Json.putDefault(requests, e.getKey(), e.getValue()));
    }
  }
}
