// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.extended.website;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.ControllerWatch;
import io.kubernetes.client.extended.controller.LeaderElectingController;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.kubernetes.client.extended.leaderelection.LeaderElector;
import io.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.kubernetes.client.extended.workqueue.WorkQueue;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1SecretList;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Builds the controller. */
final class WebsiteMain {

  private static final String BY_SECRET = "secret";

  private WebsiteMain() {}

  static Controller controller(ApiClient client, SharedInformerFactory factory, Cdn cdn) {
    var sites =
        new GenericKubernetesApi<>(
            Website.class, WebsiteList.class, "example.com", "v1", "websites", client);
    var maps =
        new GenericKubernetesApi<>(
            V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
    var secrets =
        new GenericKubernetesApi<>(V1Secret.class, V1SecretList.class, "", "v1", "secrets", client);
    var websites = factory.sharedIndexInformerFor(sites, Website.class, 0);
    websites.addIndexers(
        Map.of(
            BY_SECRET,
            site ->
                site.spec.secret() == null
                    ? List.of()
                    : List.of(site.getMetadata().getNamespace() + "/" + site.spec.secret())));
    var owned = factory.sharedIndexInformerFor(maps, V1ConfigMap.class, 0);
    var used = factory.sharedIndexInformerFor(secrets, V1Secret.class, 0);
    return ControllerBuilder.defaultBuilder(factory)
        .watch(queue ->
            ControllerBuilder.controllerWatchBuilder(Website.class, queue)
                .withOnUpdateFilter((before, now) ->
                    !Objects.equals(
                        before.getMetadata().getGeneration(), now.getMetadata().getGeneration()))
                .build())
        .watch(queue ->
            ControllerBuilder.controllerWatchBuilder(V1ConfigMap.class, queue)
                .withWorkQueueKeyFunc(WebsiteMain::owner)
                .build())
        .watch(queue -> new SecretWatch(queue, websites))
        .withName("website")
        .withWorkerCount(4)
        .withReadyFunc(() -> websites.hasSynced() && owned.hasSynced() && used.hasSynced())
        .withReconciler(
            new WebsiteReconciler(
                new Lister<>(websites.getIndexer()),
                sites,
                maps,
                new CustomObjectsApi(client),
                cdn))
        .build();
  }

  /** The website that owns a ConfigMap; without one a name that no website has. */
  private static Request owner(V1ConfigMap map) {
    String name =
        Objects.requireNonNullElse(
                map.getMetadata().getOwnerReferences(), List.<V1OwnerReference>of())
            .stream()
            .filter(owner -> owner.getKind().equals("Website"))
            .map(V1OwnerReference::getName)
            .findFirst()
            .orElse("");
    return new Request(map.getMetadata().getNamespace(), name);
  }

  /** A watch of the builder leads to one request for each event; a Secret has many websites. */
  private record SecretWatch(WorkQueue<Request> queue, SharedIndexInformer<Website> websites)
      implements ControllerWatch<V1Secret> {

    @Override
    public Class<V1Secret> getResourceClass() {
      return V1Secret.class;
    }

    @Override
    public ResourceEventHandler<V1Secret> getResourceEventHandler() {
      return new ResourceEventHandler<>() {
        @Override
        public void onAdd(V1Secret secret) {
          users(secret);
        }

        @Override
        public void onUpdate(V1Secret before, V1Secret now) {
          users(now);
        }

        @Override
        public void onDelete(V1Secret secret, boolean unknown) {
          users(secret);
        }
      };
    }

    @Override
    public Duration getResyncPeriod() {
      return Duration.ZERO;
    }

    private void users(V1Secret secret) {
      String key = secret.getMetadata().getNamespace() + "/" + secret.getMetadata().getName();
      for (Website site : websites.getIndexer().byIndex(BY_SECRET, key)) {
        queue.add(new Request(site.getMetadata().getNamespace(), site.getMetadata().getName()));
      }
    }
  }

  static void start(ApiClient client, Cdn cdn) {
    SharedInformerFactory factory = new SharedInformerFactory(client);
    Controller controller = controller(client, factory, cdn);
    factory.startAllRegisteredInformers();
    LeaseLock lock = new LeaseLock("website-system", "website", System.getenv("HOSTNAME"), client);
    LeaderElectionConfig config =
        new LeaderElectionConfig(
            lock, Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));
    new LeaderElectingController(new LeaderElector(config), controller).run();
  }
}
