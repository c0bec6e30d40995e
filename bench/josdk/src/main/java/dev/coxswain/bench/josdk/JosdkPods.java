// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.josdk;

import dev.coxswain.bench.informer.PodSubject;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.jspecify.annotations.Nullable;

/** The fabric8 informer that JOSDK puts under its event sources, in the version JOSDK brings. */
public final class JosdkPods implements PodSubject {
  private @Nullable KubernetesClient client;
  private @Nullable SharedIndexInformer<Pod> informer;

  /** Creates the subject; called by the probe. */
  public JosdkPods() {}

  @Override
  public void start(String url, Runnable received) {
    client =
        new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.empty()).withMasterUrl(url).build())
            .build();
    informer = client.pods().inAnyNamespace().runnableInformer(0);
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(Pod pod) {
            received.run();
          }

          @Override
          public void onUpdate(Pod before, Pod now) {}

          @Override
          public void onDelete(Pod pod, boolean unknownState) {}
        });
    informer.start();
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
    if (informer != null) {
      informer.stop();
    }
    if (client != null) {
      client.close();
    }
  }
}
