// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.josdk;

import dev.coxswain.bench.whole.subject.PeerControllers;
import dev.coxswain.bench.whole.subject.Probe;
import dev.coxswain.bench.whole.subject.SubjectSettings;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/** The controllers of JOSDK. All share one pool of threads, as its operator has it. */
public final class JosdkControllers implements PeerControllers {

  /** Creates the subject; called by the main class of the peers. */
  public JosdkControllers() {}

  @Override
  public void start(SubjectSettings settings, Probe probe) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(settings.server())
            .withNamespace(settings.namespace())
            .withOnlyHttpWatches(true) // the embedded API server has no WebSockets
            .build();
    Operator operator =
        new Operator(o ->
            o.withKubernetesClient(new KubernetesClientBuilder().withConfig(config).build())
                .withConcurrentReconciliationThreads(SubjectSettings.WORKERS));
    GenericRetry retry =
        new GenericRetry()
            .setInitialInterval(SubjectSettings.BACKOFF_MILLIS)
            .setIntervalMultiplier(2)
            .withoutMaxAttempts();
    for (int i = 0; i < settings.controllers(); i++) {
      probe.created();
      String name = settings.name(i);
      String selector = settings.selector(i);
      operator.register(
          new Recording(probe),
          o -> {
            // ConfigMaps have no generation, so that every change counts.
            o.withName(name).settingNamespace(settings.namespace()).withRetry(retry);
            if (!selector.isEmpty()) {
              o.withLabelSelector(selector);
            }
          });
    }
    operator.start();
  }

  @ControllerConfiguration
  private record Recording(Probe probe) implements Reconciler<ConfigMap> {
    @Override
    public UpdateControl<ConfigMap> reconcile(ConfigMap map, Context<ConfigMap> context)
        throws IOException {
      probe.attempt(
          map.getMetadata().getName(), Objects.requireNonNullElse(map.getData(), Map.of()));
      return UpdateControl.noUpdate();
    }
  }
}
