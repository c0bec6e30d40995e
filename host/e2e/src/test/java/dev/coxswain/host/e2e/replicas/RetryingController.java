// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.Backoff;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;

/** Fails for all its objects, and prints the failures and the trigger of each attempt. */
public final class RetryingController implements ControllerDefinition {

  static final String NAMESPACE = "retrying";

  /** What the names of its objects begin with. */
  static final String PREFIX = "failing-";

  /** Creates the definition; called by the host. */
  public RetryingController() {}

  @Override
  public String name() {
    return "retrying";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes kubernetes = environment.get(Kubernetes.class);
    return Controller.named(name())
        .options(options ->
            options.withBackoff(
                Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2), 0)))
        .watches(kubernetes.kind(V1ConfigMap.class).inNamespace(NAMESPACE).toSource())
        .reconciles(RetryingController::fail);
  }

  private static Result fail(Request request, ReconcileContext context) {
    AttemptLines.print(
        request.name(),
        context.epoch(),
        context.failures() + "/" + context.trigger(),
        System.nanoTime());
    throw new IllegalStateException("on purpose");
  }
}
