// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.informer.InformerHandle;
import io.kubernetes.client.openapi.models.V1Pod;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The cache of Coxswain. Its handlers receive names, and a copy of the object on request. */
class CoxswainPods implements PodSubject {
  private @Nullable Kubernetes kubernetes;
  private @Nullable InformerHandle<V1Pod> cache;

  /** As a handler that reads each pod, which the peers hand out decoded. */
  static final class Reading extends CoxswainPods {
    @Override
    void look(ObjectEvent<V1Pod> event) {
      Objects.requireNonNull(event.object());
    }
  }

  /** From an API server that cannot stream lists, or does not. */
  static final class Pages extends CoxswainPods {
    @Override
    KubernetesOptions options() {
      return KubernetesOptions.DEFAULT.withStreamedLists(false);
    }
  }

  void look(ObjectEvent<V1Pod> event) {}

  KubernetesOptions options() {
    return KubernetesOptions.DEFAULT;
  }

  @Override
  public void start(String url, Runnable received) {
    kubernetes = Kubernetes.at(url, options());
    cache = kubernetes.kind(V1Pod.class).openCache();
    cache.subscribe(
        "pods",
        event -> {
          look(event);
          received.run();
        });
  }

  @Override
  public boolean synced() {
    return cache != null && cache.isSynced();
  }

  @Override
  public int size() {
    return cache == null ? 0 : cache.keys().size();
  }

  @Override
  public void close() {
    if (cache != null) {
      cache.close();
    }
    if (kubernetes != null) {
      kubernetes.close();
    }
  }
}
