// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.operation.DeleteOptions;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

/** Evictions of pods; confined to the server's event loop. */
final class Evictions {
  private static final int RETRY_SECONDS = 10;
  private static final Set<String> NOT_RUNNING = Set.of("Pending", "Succeeded", "Failed");

  private Evictions() {}

  /**
   * Returns the options of the deletion in an eviction.
   *
   * @param dryRun whether the request is a dry run
   */
  static DeleteOptions options(ObjectNode eviction, boolean dryRun) {
    DeleteOptions given = DeleteOptions.parse(eviction.get("deleteOptions"), _ -> null);
    return new DeleteOptions(
        dryRun || given.dryRun(), given.grace(), given.propagation(), given.uid(), given.version());
  }

  /** Deletes a pod; throws a 429 when a budget protects it. */
  static void evict(Backend backend, ResourceType pods, StoredObject pod, DeleteOptions options) {
    ObjectNode tree = pod.bareTree();
    String phase = tree.path("status").path("phase").asText();
    if (!pod.deleting() && !NOT_RUNNING.contains(phase)) {
      spendBudget(backend, pod, tree, options);
    }
    backend.deletes().delete(pods, pod, options);
  }

  private static void spendBudget(
      Backend backend, StoredObject pod, ObjectNode tree, DeleteOptions options) {
    ResourceType type = backend.registry().type("policy", "poddisruptionbudgets");
    if (type == null) {
      return;
    }
    List<StoredObject> budgets =
        backend.store().collection(type).range(pod.namespace()).values().stream()
            .filter(budget -> protects(budget, pod))
            .toList();
    if (budgets.size() > 1) {
      throw ApiException.internal(
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not"
              + " support.");
    }
    for (StoredObject stored : budgets) {
      ObjectNode budget = stored.bareTree();
      if (isReady(tree) || !mayLoseUnready(budget)) {
        check(stored.name(), budget);
        if (!options.dryRun()) {
          ObjectNode status = Json.ensure(budget, "status");
          status.put("disruptionsAllowed", status.path("disruptionsAllowed").asInt() - 1);
          Json.ensure(status, "disruptedPods").put(pod.name(), backend.store().times().now());
          backend.store().put(backend.store().collection(type), stored, budget);
        }
      }
    }
  }

  private static boolean protects(StoredObject budget, StoredObject pod) {
    JsonNode selector = budget.bareTree().path("spec").get("selector");
    return LabelSelector.of(selector).matches(pod.labels());
  }

  private static boolean isReady(ObjectNode pod) {
    return StreamSupport.stream(pod.path("status").path("conditions").spliterator(), false)
        .anyMatch(condition ->
            condition.path("type").asText().equals("Ready")
                && condition.path("status").asText().equals("True"));
  }

  /** Returns whether a pod that is not ready may go, whatever the budget allows. */
  private static boolean mayLoseUnready(ObjectNode budget) {
    if (budget.path("spec").path("unhealthyPodEvictionPolicy").asText().equals("AlwaysAllow")) {
      return true;
    }
    int desired = budget.path("status").path("desiredHealthy").asInt();
    return desired > 0 && budget.path("status").path("currentHealthy").asInt() >= desired;
  }

  private static void check(String name, ObjectNode budget) {
    JsonNode status = budget.path("status");
    boolean observed =
        status.path("observedGeneration").asLong()
            >= budget.path("metadata").path("generation").asLong(1);
    if (!observed || status.path("disruptionsAllowed").asInt() <= 0) {
      String why =
          observed
              ? "The disruption budget %s needs %s healthy pods and has %s currently"
                  .formatted(
                      name,
                      status.path("desiredHealthy").asInt(),
                      status.path("currentHealthy").asInt())
              : "The disruption budget " + name + " is still being processed by the server.";
      throw ApiException.retryLater(
          429,
          "TooManyRequests",
          "Cannot evict pod as it would violate the pod's disruption budget.",
          observed ? 0 : RETRY_SECONDS,
          new Cause("DisruptionBudget", "", why));
    }
  }
}
