// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Names;
import dev.coxswain.apiserver.internal.status.Quantities;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rules of requests and limits; any thread. */
final class ResourceCheck {
  private static final List<String> NATIVE =
      List.of("cpu", "memory", "ephemeral-storage", "storage");

  private ResourceCheck() {}

  static void check(JsonNode resources, String path, Causes causes) {
    JsonNode limits = resources.path("limits");
    for (Map.Entry<String, JsonNode> e : limits.properties()) {
      one(e, path + ".limits", causes);
    }
    for (Map.Entry<String, JsonNode> e : resources.path("requests").properties()) {
      one(e, path + ".requests", causes);
      BigDecimal request = value(e.getValue());
      BigDecimal limit = value(limits.path(e.getKey()));
      if (request != null && limit != null && request.compareTo(limit) > 0) {
        causes.invalidText(
            path + ".requests",
            e.getValue().asText(),
            "must be less than or equal to %s limit of %s"
                .formatted(e.getKey(), limits.path(e.getKey()).asText()));
      }
    }
  }

  private static void one(Map.Entry<String, JsonNode> e, String path, Causes causes) {
    String name = e.getKey();
    causes.invalidText(path + "[" + name + "]", name, Names.qualified(name));
    boolean known = name.contains("/") || NATIVE.contains(name) || name.startsWith("hugepages-");
    if (!known) {
      causes.invalidText(
          path + "[" + name + "]", name, "must be a standard resource type or fully qualified");
      causes.invalidText(
          path + "[" + name + "]", name, "must be a standard resource for containers");
    }
    BigDecimal value = value(e.getValue());
    if (value != null && value.signum() < 0) {
      causes.invalidText(
          path + "[" + name + "]", e.getValue().asText(), "must be greater than or equal to 0");
    }
  }

  private static @Nullable BigDecimal value(JsonNode quantity) {
    return quantity.isMissingNode() ? null : Quantities.value(quantity.asText());
  }
}
