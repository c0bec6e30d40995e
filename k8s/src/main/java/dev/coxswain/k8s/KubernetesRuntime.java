// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.internal.route.TlsSettings;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;

/**
 * What a host does with the access that it gives to controllers; not for controllers.
 *
 * <p>Thread rule: any thread; nothing blocks but {@link #loadAhead}.
 */
public final class KubernetesRuntime {

  private final Kubernetes kubernetes;

  /**
   * Receives which resources a controller selects and accesses; see {@link #observedBy}.
   *
   * <p>Thread rule: called on the thread of the call that it reports; must not block.
   */
  public interface AccessObserver {

    /** Does nothing. */
    AccessObserver NONE =
        new AccessObserver() {
          @Override
          public void selected(ResourceType<?> type) {}

          @Override
          public void accessed(ResourceType<?> type) {}
        };

    /** A resource is to be listed and watched, by {@link Kubernetes#kind}. */
    void selected(ResourceType<?> type);

    /** A resource is to be read or written, by {@link Kubernetes#resource}. */
    void accessed(ResourceType<?> type);
  }

  private KubernetesRuntime(Kubernetes kubernetes) {
    this.kubernetes = kubernetes;
  }

  /** Returns the host's side of an access. */
  public static KubernetesRuntime of(Kubernetes kubernetes) {
    return new KubernetesRuntime(kubernetes);
  }

  /**
   * Loads what takes longest of a client, while the caller does something else. The client may be
   * used only when this has ended, so that two threads never initialise its classes at once.
   *
   * @param tls whether the API server has TLS
   * @throws IOException when the JDK has no TLS, which the first use of the client reports, too
   */
  public static void loadAhead(boolean tls) throws IOException {
    Kubernetes.at("http://127.0.0.1", KubernetesOptions.DEFAULT).close();
    Json.decode("{}", V1ConfigMap.class);
    if (tls) {
      try {
        TlsSettings.loadAhead();
      } catch (GeneralSecurityException e) {
        throw new IOException(e);
      }
    }
  }

  /**
   * Returns the same access with a guard: writes that the guard does not permit throw {@link
   * dev.coxswain.reconcile.LostOwnershipException}. Caches are shared; closing the result leaves
   * them running.
   */
  public Kubernetes guardedBy(WriteGuard guard) {
    return kubernetes.guardedBy(guard);
  }

  /**
   * Returns the same access with other clusters, which {@link Kubernetes#cluster} returns; closing the
   * result closes them.
   *
   * @param others the access to each, with the name of the cluster in its options
   * @throws IllegalArgumentException when a name is empty or there twice
   */
  public Kubernetes withClusters(List<Kubernetes> others) {
    return kubernetes.withClusters(others);
  }

  /**
   * Returns the same access, which reports the resources that are selected and accessed: for tools
   * that find out what a controller uses. What it does in other clusters is not reported, and {@link
   * Kubernetes#cluster} returns an access for every name. Caches are shared; closing the result
   * leaves them running.
   */
  public Kubernetes observedBy(AccessObserver accesses) {
    return kubernetes.observedBy(accesses);
  }

  /**
   * Returns the same access, whose selections of objects to watch are restricted to some namespaces:
   * those of all namespaces to these, others to what they have in common with these, and resources
   * without namespaces not at all. Caches are shared; closing the result leaves them running.
   *
   * @param namespaces empty for all
   */
  public Kubernetes watching(Set<String> namespaces) {
    return kubernetes.watching(namespaces);
  }

  /**
   * Keeps caches that lose their users until the result is run, so that a controller that is built
   * again lists nothing twice. Running it again does nothing.
   */
  public Runnable holdCaches() {
    return kubernetes.holdCaches();
  }

  /**
   * Lets the caches of sharded controllers keep the objects of these slots only, also those of
   * guarded views. Called before the first sharded controller starts; caches that are in use keep all
   * objects.
   *
   * @throws IllegalStateException when slots were set before
   */
  public void keepOnly(KeptSlots slots) {
    kubernetes.keepOnly(slots);
  }

  /** Returns the transport of the requests. */
  public ApiTransport transport() {
    return kubernetes.transport();
  }
}
