// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.Objects;

/**
 * Prints a line for each attempt: name, epoch, the counter in the object, and the monotonic times of
 * begin and end, which the processes of a machine share. The configuration sets its ownership.
 */
public final class ChangingController implements ControllerDefinition {

  static final String NAME = "changing";
  static final String LINE = "ATTEMPT";
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
    String count = Objects.requireNonNullElse(found.getData(), Map.<String, String>of()).get(COUNT);
    System.out.print( // one write, so that lines of the log do not get between
        String.join(
                " ",
                LINE,
                request.name(),
                Long.toString(epoch),
                count,
                Long.toString(begin),
                Long.toString(System.nanoTime()))
            + "\n");
    System.out.flush();
    return Result.done();
  }
}
