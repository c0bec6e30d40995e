// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import dev.coxswain.k8s.KubernetesRuntime.AccessObserver;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.ownwrites.RecentWrites;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.informer.InformerRegistry;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.internal.access.AuthenticatedAccess;
import dev.coxswain.k8s.internal.access.KubeconfigAccess;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.KindSelection;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A controller's access to Kubernetes: watches, reads and writes.
 *
 * <pre>{@code
 * Kubernetes k8s = environment.get(Kubernetes.class);
 * KindSource<Demo> demos = k8s.kind(Demo.class).filter(Predicates.generationChanged()).toSource();
 * Resource<Demo> write = k8s.resource(Demo.class);
 * }</pre>
 *
 * <p>Thread rule: any thread. {@link #kind} and its sources never block; {@link #resource} returns
 * blocking access for virtual threads.
 */
public final class Kubernetes implements AutoCloseable {

  /** The time after which files of credentials are read again, because they are rotated. */
  private static final Duration ROTATION = Duration.ofMinutes(1);

  /** The directory of a pod's service account. */
  private static final Path SERVICE_ACCOUNT =
      Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private final ApiTransport transport;
  private final InformerRegistry caches;
  private final RecentWrites ownWrites;
  private final boolean ownsCaches;
  private final AccessObserver observer;
  private final Set<String> watched;

  /** The other clusters, by name. */
  private final Map<String, Kubernetes> clusters;

  private Kubernetes(
      ApiTransport transport,
      InformerRegistry caches,
      RecentWrites ownWrites,
      boolean ownsCaches,
      AccessObserver observer,
      Set<String> watched,
      Map<String, Kubernetes> clusters) {
    this.transport = transport;
    this.caches = caches;
    this.ownWrites = ownWrites;
    this.ownsCaches = ownsCaches;
    this.observer = observer;
    this.watched = watched;
    this.clusters = clusters;
  }

  /**
   * Returns the address and the credentials of the current context of a kubeconfig file.
   *
   * @throws IOException when the file cannot be used, see {@link #accessByKubeconfig(List)}
   */
  public static ServerAccess accessByKubeconfig(Path file) throws IOException {
    return accessByKubeconfig(List.of(file));
  }

  /**
   * Returns the address and the credentials of the current context of kubeconfig files, merged as
   * kubectl merges those of {@code KUBECONFIG}: the first file with an entry wins. Files of
   * credentials are read again every minute, and credential plug-ins run on the thread of a request
   * that needs them, or shortly before their credentials expire.
   *
   * @param files at least one; of several, those that do not exist are skipped
   * @throws IOException when the files, or one that they reference, cannot be used, or have something
   *     that is not supported; the message names file, entry and cause
   */
  public static ServerAccess accessByKubeconfig(List<Path> files) throws IOException {
    return KubeconfigAccess.of(files, System.getenv(), ROTATION);
  }

  /**
   * Returns the address and the service account of the pod of this process; its token is read again
   * every minute.
   *
   * @throws IOException when this is not a pod, or its service account is not mounted
   */
  public static ServerAccess accessInCluster() throws IOException {
    return AuthenticatedAccess.inCluster(SERVICE_ACCOUNT, System.getenv(), ROTATION);
  }

  /**
   * Uses the current context of a kubeconfig file.
   *
   * @throws IOException when the file cannot be used, see {@link #accessByKubeconfig(List)}
   */
  public static Kubernetes fromKubeconfig(Path file, KubernetesOptions options) throws IOException {
    return of(accessByKubeconfig(file), options);
  }

  /**
   * Uses the service account of the pod of this process; its token is read again every minute.
   *
   * @throws IOException when this is not a pod, or its service account is not mounted
   */
  public static Kubernetes inCluster(KubernetesOptions options) throws IOException {
    return of(accessInCluster(), options);
  }

  /** Uses the address and credentials of a client of the official library. */
  public static Kubernetes of(ApiClient client, KubernetesOptions options) {
    return of(ServerAccess.of(client), options);
  }

  /** Uses the address and credentials of an access. */
  public static Kubernetes of(ServerAccess server, KubernetesOptions options) {
    return of(server, options, CacheOptions.DEFAULT, Clock.system());
  }

  /** Uses the address and credentials of a client, with given cache options and clock. */
  public static Kubernetes of(
      ApiClient client, KubernetesOptions options, CacheOptions cacheOptions, Clock clock) {
    return of(ServerAccess.of(client), options, cacheOptions, clock);
  }

  /** Uses the address and credentials of an access, with given cache options and clock. */
  public static Kubernetes of(
      ServerAccess server, KubernetesOptions options, CacheOptions cacheOptions, Clock clock) {
    ApiTransport transport = new ApiTransport(server, options);
    InformerRegistry caches = new InformerRegistry(transport, cacheOptions, clock);
    return new Kubernetes(
        transport,
        caches,
        new RecentWrites(caches.writers()),
        true,
        AccessObserver.NONE,
        Set.of(),
        Map.of());
  }

  Kubernetes withClusters(List<Kubernetes> others) {
    Map<String, Kubernetes> byName = new TreeMap<>();
    for (Kubernetes other : others) {
      String name = other.caches.cluster();
      if (name.isEmpty() || byName.put(name, other) != null) {
        throw new IllegalArgumentException(
            "each cluster needs a name of its own: \"" + name + "\" is empty or there twice");
      }
    }
    return new Kubernetes(
        transport,
        caches,
        ownWrites,
        ownsCaches,
        observer,
        watched,
        Collections.unmodifiableMap(byName));
  }

  /** Returns a view of this and of all clusters, which leaves the caches running. */
  private Kubernetes view(
      UnaryOperator<ApiTransport> transports, UnaryOperator<Set<String>> namespaces) {
    Map<String, Kubernetes> views = new TreeMap<>();
    clusters.forEach((name, other) -> views.put(name, other.view(transports, namespaces)));
    return new Kubernetes(
        transports.apply(transport),
        caches,
        ownWrites,
        false,
        observer,
        namespaces.apply(watched),
        Collections.unmodifiableMap(views));
  }

  Kubernetes guardedBy(WriteGuard guard) {
    return view(one -> one.guardedBy(guard), UnaryOperator.identity());
  }

  /**
   * Returns another cluster of the deployment: reads and watches of it, and writes that are guarded
   * as those of this one. What its sources handle with {@link
   * dev.coxswain.k8s.source.Handlers#inCluster} leads to requests that name the cluster.
   *
   * @param name its name in the configuration, {@code kubernetes.clusters}
   * @throws IllegalArgumentException when there is none of this name
   */
  public Kubernetes cluster(String name) {
    Kubernetes found = clusters.get(name);
    if (found == null && !observer.equals(AccessObserver.NONE)) {
      // For a tool, which has no clusters and must build the controller nevertheless.
      return observedBy(AccessObserver.NONE);
    }
    if (found == null) {
      throw new IllegalArgumentException(
          "no cluster \"%s\" is configured: add it to kubernetes.clusters; there are %s"
              .formatted(name, clusters.keySet()));
    }
    return found;
  }

  /**
   * Returns the names of the other clusters in their order, which is that of all replicas; empty when
   * the deployment has one cluster, and in a view of another cluster.
   */
  public List<String> clusters() {
    return List.copyOf(clusters.keySet());
  }

  /**
   * Returns the same for writes that belong to no attempt, such as those of a thread that a
   * controller has started itself. They are permitted while this replica may act, whatever slots it
   * owns: the author makes sure that two replicas do not write the same object. While a controller of
   * a leader moves, it runs on its next owner before it has stopped on the former one.
   */
  public Kubernetes unbound() {
    return view(ApiTransport::unbound, UnaryOperator.identity());
  }

  Kubernetes observedBy(AccessObserver accesses) {
    // Rights in another cluster are not those of this one.
    return new Kubernetes(transport, caches, ownWrites, false, accesses, watched, clusters);
  }

  Kubernetes watching(Set<String> namespaces) {
    Set<String> some = Set.copyOf(namespaces);
    return view(UnaryOperator.identity(), _ -> some);
  }

  Runnable holdCaches() {
    List<Runnable> holds = new ArrayList<>(List.of(caches.hold()));
    clusters.values().forEach(other -> holds.add(other.holdCaches()));
    return () -> holds.forEach(Runnable::run);
  }

  void keepOnly(KeptSlots slots) {
    caches.keepOnly(slots);
    clusters.values().forEach(other -> other.keepOnly(slots));
  }

  /**
   * Uses an API server without authentication, such as the embedded one.
   *
   * @param address such as {@code http://127.0.0.1:8001}
   * @throws IllegalArgumentException when it is no such address, or the environment names a proxy
   *     that cannot be used
   */
  public static Kubernetes at(String address, KubernetesOptions options) {
    try {
      return of(AuthenticatedAccess.anonymous(address, System.getenv()), options);
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Begins a controller of Kubernetes objects: {@code controller("web").forKind(Web.class)...}.
   *
   * @param name a DNS label, unique in the host
   */
  public ControllerBuilder controller(String name) {
    return new ControllerBuilder(this, name);
  }

  /**
   * Begins a selection of objects to watch.
   *
   * @param type a model of the official client, or a class with a {@link
   *     dev.coxswain.k8s.resource.KubernetesResource} annotation
   */
  public <T extends KubernetesObject> KindSelection<T> kind(Class<T> type) {
    return kind(ResourceType.of(type));
  }

  /**
   * Begins a selection of objects to watch: of all namespaces, as far as the deployment watches
   * them.
   */
  public <T extends KubernetesObject> KindSelection<T> kind(ResourceType<T> type) {
    observer.selected(type);
    return KindSelection.of(caches, type, watched);
  }

  /**
   * Returns direct access to a resource.
   *
   * @param type a model of the official client, or a class with a {@link
   *     dev.coxswain.k8s.resource.KubernetesResource} annotation
   */
  public <T extends KubernetesObject> Resource<T> resource(Class<T> type) {
    return resource(ResourceType.of(type));
  }

  /** Returns direct access to a resource. */
  public <T extends KubernetesObject> Resource<T> resource(ResourceType<T> type) {
    observer.accessed(type);
    return new Resource<>(transport, type, ownWrites);
  }

  /**
   * Returns the writes through {@link #resource}, for sources that include them in their reads at
   * once: {@code kind(type).readYourWrites(ownWrites())}.
   */
  public RecentWrites ownWrites() {
    return ownWrites;
  }

  /** Returns the status of every running cache of all clusters, for health and metrics. */
  public List<CacheStatus> caches() {
    List<CacheStatus> all = new ArrayList<>(caches.statuses());
    clusters.values().forEach(other -> all.addAll(other.caches()));
    return all;
  }

  /** Returns the address of the API server. */
  public String address() {
    return transport.address();
  }

  /**
   * Reads the version of the API server; blocks.
   *
   * @return for instance {@code v1.36.0}
   * @throws dev.coxswain.k8s.client.ApiStatusException when the request fails
   */
  public String serverVersion() {
    var version = transport.get("/version", Map.of()).get("gitVersion");
    return version == null ? "unknown" : version.getAsString();
  }

  /**
   * Returns a recorder of Events, which the caller closes.
   *
   * @param controller the reporting controller, such as {@code shop.example.com/orders}
   * @param instance the reporting instance, such as the name of the pod
   * @param clock the time
   */
  public EventRecorder eventRecorder(String controller, String instance, Clock clock) {
    return new EventRecorder(transport, controller, instance, clock);
  }

  ApiTransport transport() {
    return transport;
  }

  /** Stops all caches, also those of the other clusters, unless this is a guarded view. */
  @Override
  public void close() {
    if (ownsCaches) {
      caches.close();
      clusters.values().forEach(Kubernetes::close);
    }
  }
}
