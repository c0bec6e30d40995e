// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Result;
import java.util.ArrayList;
import java.util.List;

/**
 * Watches built-in and custom kinds, and prints a line for each attempt. A request is named like its
 * kind, with a number.
 */
public final class OutageController implements ControllerDefinition {

  static final String NAME = "outage";
  static final String COUNT = "count";

  /** Built-in kinds whose objects need no spec, then custom ones. */
  static final List<ResourceType<Unstructured>> KINDS = kinds();

  /** Creates the definition; called by the host. */
  public OutageController() {}

  private static List<ResourceType<Unstructured>> kinds() {
    List<ResourceType<Unstructured>> kinds = new ArrayList<>();
    kinds.add(ResourceType.unstructured("", "v1", "configmaps", "ConfigMap", true));
    kinds.add(ResourceType.unstructured("", "v1", "secrets", "Secret", true));
    kinds.add(ResourceType.unstructured("", "v1", "serviceaccounts", "ServiceAccount", true));
    kinds.add(ResourceType.unstructured("coordination.k8s.io", "v1", "leases", "Lease", true));
    for (char letter = 'a'; letter <= 'h'; letter++) {
      kinds.add(
          ResourceType.unstructured(
              "outage.example.com",
              "v1",
              "kind" + letter + "s",
              "Kind" + Character.toUpperCase(letter),
              true));
    }
    return List.copyOf(kinds);
  }

  /** Returns the kind of a request. */
  static ResourceType<Unstructured> kindOf(String name) {
    return KINDS.stream()
        .filter(kind -> name.startsWith(kind.plural() + "-"))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes kubernetes = environment.get(Kubernetes.class);
    var controller = Controller.named(NAME);
    for (ResourceType<Unstructured> kind : KINDS) {
      controller.watches(kubernetes.kind(kind).inNamespace("default").toSource());
    }
    return controller.reconciles((request, context) -> {
      if (request
          .name()
          .matches("kind[a-h]s-\\d+|(configmaps|secrets|serviceaccounts|leases)-\\d+")) {
        long begin = System.nanoTime();
        AttemptLines.print(
            request.name(),
            context.epoch(),
            kubernetes
                .resource(kindOf(request.name()))
                .get(request)
                .flatMap(found -> found.at("metadata", "annotations", COUNT))
                .orElseThrow()
                .getAsString(),
            begin);
      }
      return Result.done();
    });
  }
}
