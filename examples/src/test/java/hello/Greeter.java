// SPDX-License-Identifier: Apache-2.0
package hello;

import dev.coxswain.k8s.SimpleController;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;

public final class Greeter extends SimpleController<V1ConfigMap> {
  public Greeter() {
    super(V1ConfigMap.class, "greet=yes");
  }

  @Override
  protected Result reconcile(V1ConfigMap map) {
    map.putDataItem("hello", "Hello " + map.getMetadata().getName());
    return Result.done();
  }
}
