// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.controller;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Result;

/** Watches a kind that no API server serves, as when its definition was not installed. */
public final class MissingKindController implements ControllerDefinition {

  public static final String NAME = "missing-kind";
  public static final String PLURAL = "ghosts";

  /** Creates the definition; called by the host. */
  public MissingKindController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    return Controller.named(NAME)
        .options(options -> options.withOwnership(Ownership.EVERYWHERE))
        .watches(
            k8s.kind(ResourceType.unstructured("test.coxswain.dev", "v1", PLURAL, "Ghost", true))
                .toSource())
        .reconciles((request, context) -> Result.done());
  }
}
