// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;

/** Reads Secrets, which is not seen when it is built: only its reconciler selects them. */
public final class SecretiveController implements ControllerDefinition {

  /** Creates the definition; called by the host. */
  public SecretiveController() {}

  @Override
  public String name() {
    return "secretive";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes kubernetes = environment.get(Kubernetes.class);
    return Controller.named(name())
        .watches(kubernetes.kind(V1ConfigMap.class).labels("secretive=yes").toSource())
        .reconciles((request, context) -> {
          kubernetes.resource(V1Secret.class).get(request);
          return Result.done();
        });
  }
}
