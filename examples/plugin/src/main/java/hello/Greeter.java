// SPDX-License-Identifier: Apache-2.0
package hello;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;

/** Writes a greeting into every ConfigMap with the label {@code greet=yes}. */
public final class Greeter implements ControllerDefinition {

  private static final String GREETING = "Hello ";

  @Override
  public String name() {
    return "greeter";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    var configMaps = k8s.resource(V1ConfigMap.class);
    return Controller.named(name())
        .watches(k8s.kind(V1ConfigMap.class).labels("greet=yes").toSource())
        .reconciles((request, context) -> greet(request, configMaps));
  }

  /** One attempt. It may run again at any time, so it changes only what differs. */
  static Result greet(Request request, Resource<V1ConfigMap> configMaps) {
    configMaps.modify(request, map -> map.putDataItem("hello", GREETING + request.name()));
    return Result.done();
  }
}
