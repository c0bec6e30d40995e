// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;

/** Writes a greeting into ConfigMaps: a real write of a real reconciler. */
public final class GreetingController implements ControllerDefinition {

  public static final String GREETING = "Hello world";

  /** What it greets. */
  public static final String OBJECT =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: world, namespace: default, labels: {greet: "yes"}}
      """;

  /** Creates the definition; called by the host. */
  public GreetingController() {}

  @Override
  public String name() {
    return "greeting";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    var kubernetes = environment.get(Kubernetes.class);
    var configMaps = kubernetes.resource(V1ConfigMap.class);
    return Controller.named(name())
        .watches(kubernetes.kind(V1ConfigMap.class).labels("greet=yes").toSource())
        .reconciles((request, context) -> {
          configMaps.modify(request, map -> map.putDataItem("hello", "Hello " + request.name()));
          return Result.done();
        });
  }
}
