// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.Backoff;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Fails for all its objects until a file exists, the repair of their common cause. */
public final class RepairableController implements ControllerDefinition {

  static final String NAME = "repairable";
  static final String NAMESPACE = "broken";

  /** Creates the definition; called by the host. */
  public RepairableController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Path repaired = Path.of(String.valueOf(environment.config().get("repaired")));
    Kubernetes kubernetes = environment.get(Kubernetes.class);
    return Controller.named(NAME)
        .options(options ->
            options.withBackoff(
                Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(50), 0)))
        .watches(kubernetes.kind(V1ConfigMap.class).inNamespace(NAMESPACE).toSource())
        .reconciles((request, context) -> {
          if (request.name().endsWith("0")) {
            throw new IllegalArgumentException("no quota for " + request.name());
          }
          if (!Files.exists(repaired)) {
            throw new IllegalStateException("what all need is broken");
          }
          return Result.done();
        });
  }
}
