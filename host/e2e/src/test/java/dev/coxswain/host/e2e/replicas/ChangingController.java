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
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.Objects;

/** Prints a line for each attempt. The configuration sets its ownership. */
public final class ChangingController implements ControllerDefinition {

  static final String NAME = "changing";
  static final String COUNT = "count";

  /** Creates the definition; called by the host. */
  public ChangingController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes kubernetes = environment.get(Kubernetes.class);
    return Controller.named(NAME)
        .watches(kubernetes.kind(V1ConfigMap.class).inNamespace("default").toSource())
        .reconciles((request, context) -> reconcile(kubernetes, request, context));
  }

  private static Result reconcile(
      Kubernetes kubernetes, Request request, ReconcileContext context) {
    if (!request.name().startsWith("changing-")) {
      return Result.done();
    }
    long begin = System.nanoTime();
    long epoch = context.epoch();
    V1ConfigMap found = kubernetes.resource(V1ConfigMap.class).get(request).orElseThrow();
    Map<String, String> data = Objects.requireNonNullElse(found.getData(), Map.of());
    AttemptLines.print(request.name(), epoch, data.getOrDefault(COUNT, "none"), begin);
    return Result.done();
  }
}
