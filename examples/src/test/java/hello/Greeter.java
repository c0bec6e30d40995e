// SPDX-License-Identifier: Apache-2.0
package hello;

import dev.coxswain.controller.*;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;

public final class Greeter implements ControllerDefinition {
  @Override
  public String name() {
    return "greeter";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    var k8s = environment.get(Kubernetes.class);
    var configMaps = k8s.resource(V1ConfigMap.class);
    return Controller.named(name())
        .watches(k8s.kind(V1ConfigMap.class).labels("greet=yes").toSource())
        .reconciles((request, context) -> {
          configMaps.modify(request, map -> map.putDataItem("hello", "Hello " + request.name()));
          return Result.done();
        });
  }
}
