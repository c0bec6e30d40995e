// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.store.StoredObject;

/** Disruption budgets at evictions; confined to the server's event loop. */
final class Evictions {
  private static final int RETRY_SECONDS = 10;

  private Evictions() {}

  /** Throws a 429 when a budget protects the pod. */
  static void check(Backend backend, StoredObject pod) {
    ResourceType budgets = backend.registry().type("policy", "poddisruptionbudgets");
    if (budgets == null) {
      return;
    }
    for (StoredObject object :
        backend.store().collection(budgets).range(pod.namespace()).values()) {
      ObjectNode budget = object.bareTree();
      if (!LabelSelector.of(budget.path("spec").get("selector")).matches(pod.labels())) {
        continue;
      }
      boolean observed = budget.path("status").has("observedGeneration");
      if (!observed || budget.path("status").path("disruptionsAllowed").asInt() <= 0) {
        String why =
            observed
                ? "The disruption budget "
                    + object.name()
                    + " does not allow another disruption right now"
                : "The disruption budget "
                    + object.name()
                    + " is still being processed by the server.";
        throw ApiException.retryLater(
            429,
            "TooManyRequests",
            "Cannot evict pod as it would violate the pod's disruption budget.",
            observed ? 0 : RETRY_SECONDS,
            new Cause("DisruptionBudget", "", why));
      }
    }
  }
}
