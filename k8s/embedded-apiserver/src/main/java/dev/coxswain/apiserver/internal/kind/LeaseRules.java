// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leases: duration, transitions and strategy; any thread. */
final class LeaseRules implements KindRules {
  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode lease, Causes causes) {
    JsonNode spec = lease.path("spec");
    JsonNode duration = spec.path("leaseDurationSeconds");
    if (duration.isNumber() && duration.longValue() <= 0) {
      causes.invalid("spec.leaseDurationSeconds", duration.asText(), "must be greater than 0");
    }
    Checks.nonNegative(spec.path("leaseTransitions"), "spec.leaseTransitions", causes);
    String strategy = Json.text(spec, "strategy");
    if (strategy.contains("/")) {
      causes.invalidText(
          "spec.strategy.strategy",
          strategy, // the path has the name twice in the real server as well
          Names.qualified(strategy));
    } else if (spec.has("strategy")) {
      Checks.oneOf(strategy, "spec.strategy.strategy", List.of("OldestEmulationVersion"), causes);
    }
    if (!Json.text(spec, "preferredHolder").isEmpty() && strategy.isEmpty()) {
      causes.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
    }
  }
}
