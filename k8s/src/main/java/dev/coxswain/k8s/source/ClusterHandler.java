// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.internal.slots.ClusterKeys;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.Optional;

/** Adds a cluster to the requests of a handler. */
record ClusterHandler<T extends KubernetesObject>(String cluster, EventHandler<T> of)
    implements EventHandler<T> {

  ClusterHandler {
    if (cluster.isEmpty()) {
      throw new IllegalArgumentException("name a cluster; without one no handler is needed");
    }
  }

  @Override
  public void handle(ObjectEvent<T> event, RequestSink requests) {
    of.handle(event, new ClusterSink(cluster, requests));
  }

  @Override
  public Optional<ObjectKeys> keys() {
    return of.keys().map(keys -> new ClusterKeys(cluster, keys));
  }

  @Override
  public boolean namesObjects() {
    return of.namesObjects();
  }

  /** A sink whose requests name a cluster. */
  private record ClusterSink(String cluster, RequestSink to) implements RequestSink {

    @Override
    public int priority() {
      return to.priority();
    }

    @Override
    public Duration delay() {
      return to.delay();
    }

    @Override
    public void add(Request request, Duration delay, int priority) {
      to.add(request.inCluster(cluster), delay, priority);
    }
  }
}
