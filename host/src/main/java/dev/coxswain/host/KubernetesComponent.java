// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host;

import dev.coxswain.host.lifecycle.Component;
import dev.coxswain.k8s.Kubernetes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Access to the API server, closed at the end. */
record KubernetesComponent(Vertx vertx, Kubernetes kubernetes) implements Component {
  @Override
  public String name() {
    return "kubernetes";
  }

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return vertx.executeBlocking(() -> {
      kubernetes.close();
      return true;
    });
  }
}
