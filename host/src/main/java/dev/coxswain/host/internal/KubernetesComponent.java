// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.k8s.Kubernetes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/**
 * Access to the API server, closed at the end.
 *
 * @param last what uses it until then; completes when it can be closed
 */
record KubernetesComponent(Vertx vertx, Kubernetes kubernetes, Supplier<Future<?>> last)
    implements Component {
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
    return last.get()
        .eventually(() ->
            vertx.executeBlocking(() -> {
              kubernetes.close();
              return true;
            }));
  }
}
