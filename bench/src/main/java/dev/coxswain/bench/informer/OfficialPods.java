// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The informer of the official Java client, as its examples make it. */
final class OfficialPods implements PodSubject {
  private @Nullable SharedInformerFactory factory;
  private @Nullable SharedIndexInformer<V1Pod> informer;

  @Override
  public void start(String url, Runnable received) {
    ApiClient client = new ApiClient().setBasePath(url);
    client.setHttpClient(client.getHttpClient().newBuilder().readTimeout(Duration.ZERO).build());
    factory = new SharedInformerFactory(client);
    informer =
        factory.sharedIndexInformerFor(
            new GenericKubernetesApi<>(V1Pod.class, V1PodList.class, "", "v1", "pods", client),
            V1Pod.class,
            0);
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(V1Pod pod) {
            received.run();
          }

          @Override
          public void onUpdate(V1Pod before, V1Pod now) {}

          @Override
          public void onDelete(V1Pod pod, boolean unknownState) {}
        });
    factory.startAllRegisteredInformers();
  }

  @Override
  public boolean synced() {
    return informer != null && informer.hasSynced();
  }

  @Override
  public int size() {
    return informer == null ? 0 : informer.getIndexer().listKeys().size();
  }

  @Override
  public void close() {
    if (factory != null) {
      factory.stopAllRegisteredInformers();
    }
  }
}
