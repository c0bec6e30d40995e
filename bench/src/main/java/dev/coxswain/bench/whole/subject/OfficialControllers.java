// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole.subject;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * The controllers of the official Java client, as its examples make them. A factory has one informer for each class,
 * so each controller has its own.
 */
public final class OfficialControllers implements PeerControllers {
  public OfficialControllers() {}

  @Override
  public void start(SubjectSettings settings, Probe probe) {
    ApiClient client = new ApiClient().setBasePath(settings.server());
    client.setHttpClient(client.getHttpClient().newBuilder().readTimeout(Duration.ZERO).build());
    for (int i = 0; i < settings.controllers(); i++) {
      probe.created();
      controller(client, settings, i, probe);
    }
  }

  private static void controller(
      ApiClient client, SubjectSettings settings, int index, Probe probe) {
    CoreV1Api api = new CoreV1Api(client);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    String selector = settings.selector(index).isEmpty() ? null : settings.selector(index);
    SharedIndexInformer<V1ConfigMap> informer =
        factory.sharedIndexInformerFor(
            params ->
                api.listNamespacedConfigMap(settings.namespace())
                    .labelSelector(selector)
                    .resourceVersion(params.resourceVersion)
                    .timeoutSeconds(params.timeoutSeconds)
                    .watch(params.watch)
                    .buildCall(null),
            V1ConfigMap.class,
            V1ConfigMapList.class);
    Lister<V1ConfigMap> lister = new Lister<>(informer.getIndexer(), settings.namespace());
    Controller controller =
        ControllerBuilder.defaultBuilder(factory)
            .withName(settings.name(index))
            .withWorkerCount(SubjectSettings.WORKERS)
            .watch(queue ->
                ControllerBuilder.controllerWatchBuilder(V1ConfigMap.class, queue)
                    .withResyncPeriod(Duration.ZERO)
                    .build())
            .withReadyFunc(informer::hasSynced)
            .withReconciler(new Recording(lister, probe))
            .build();
    factory.startAllRegisteredInformers();
    Thread.ofPlatform().name(settings.name(index)).start(controller);
  }

  private record Recording(Lister<V1ConfigMap> maps, Probe probe) implements Reconciler {
    @Override
    public Result reconcile(Request request) {
      V1ConfigMap map = maps.get(request.getName());
      if (map != null) {
        try {
          probe.attempt(request.getName(), Objects.requireNonNullElse(map.getData(), Map.of()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return new Result(false);
    }
  }
}
