// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.status.Field;
import org.jspecify.annotations.Nullable;

/** Leases: duration, transitions and strategy; any thread. */
final class LeaseRules implements KindRules {
  @Override
  public void validate(@Nullable ObjectNode old, Field lease) {
    Field spec = lease.at("spec");
    spec.at("leaseDurationSeconds").positive();
    spec.at("leaseTransitions").nonNegative();
    // the path has the name twice in the real server as well
    Field strategy = spec.at("strategy").as("spec.strategy.strategy");
    if (strategy.text().contains("/")) {
      strategy.qualified();
    } else if (strategy.given()) {
      strategy.oneOf("OldestEmulationVersion");
    }
    Field holder = spec.at("preferredHolder");
    if (!holder.isEmpty() && strategy.isEmpty()) {
      holder.forbidden("may only be specified if `strategy` is defined");
    }
  }
}
