// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotSet;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When an open watch is replaced by one that selects less. */
class NarrowedWatchTest {

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

  /** Waits until everything has run that was to run at once. */
  private void atOnce() throws Exception {
    timer.submit(() -> {}).get(30, TimeUnit.SECONDS);
  }

  /** Otherwise it receives everything until the next look at all watches. */
  @Test
  void namespacesThatAreCompleteDuringAList_areSelectedWhenTheListEnds() throws Exception {
    SlotSet kept = new SlotSet(new NumberedSlots(4, true));
    kept.add(kept.of(List.of(1)));
    SlotFilter filter = new SlotFilter(kept, new UserCode("test", this));
    filter.add(CacheUser.filtered("test", ObjectKeys.SELF));
    KnownNamespaces known = new KnownNamespaces(Clock.system(), () -> true, () -> "", timer);
    SelectedWatch<V1ConfigMap> watch =
        new SelectedWatch<>(
            new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", ""), filter, known, Set::of);
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
        WatchStream _ = watch.open(KubernetesRuntime.of(kubernetes).transport(), Map.of(), true)) {
      watch.start(() -> {});
      for (int i = 0; i < 8; i++) {
        known.added("team-" + i);
      }
      known.complete();
      atOnce();
      assertThat(watch.isReselecting()).as("its list is not interrupted").isFalse();
      watch.listed();
      atOnce();
      assertThat(watch.isReselecting()).isTrue();
    } finally {
      known.close();
    }
  }
}
