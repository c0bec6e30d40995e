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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When an open watch is replaced by one that selects less. */
class NarrowedWatchTest {

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final KnownNamespaces known =
      new KnownNamespaces(Clock.system(), () -> true, () -> "", timer);
  private final Set<String> stored = ConcurrentHashMap.newKeySet();
  private final SelectedWatch<V1ConfigMap> watch =
      new SelectedWatch<>(
          new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", ""),
          slotOne(),
          known,
          () -> stored);
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  private SlotFilter slotOne() {
    SlotSet kept = new SlotSet(new NumberedSlots(4, true));
    kept.add(kept.of(List.of(1)));
    SlotFilter filter = new SlotFilter(kept, new UserCode("test", this));
    filter.add(CacheUser.filtered("test", ObjectKeys.SELF));
    return filter;
  }

  @AfterEach
  void close() {
    known.close();
    kubernetes.close();
    server.close();
  }

  /** Waits until everything has run that was to run at once. */
  private void atOnce() throws Exception {
    timer.submit(() -> {}).get(30, TimeUnit.SECONDS);
  }

  /** Otherwise it receives everything until the next look at all watches. */
  @Test
  void namespacesThatAreCompleteDuringAList_areSelectedWhenTheListEnds() throws Exception {
    try (WatchStream _ = open(true)) {
      watch.start(() -> {});
      teamsExist();
      atOnce();
      assertThat(watch.isReselecting()).as("its list is not interrupted").isFalse();
      watch.listed();
      atOnce();
      assertThat(watch.isReselecting()).isTrue();
    }
  }

  /** Its objects are deleted before it is, but the informer of namespaces may be ahead of the cache. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void namespaceThatIsGoneBeforeItsObjects_isLeftOutWhenTheyAreGone(boolean beforeTheWatch) {
    teamsExist();
    stored.add("team-5");
    if (beforeTheWatch) {
      known.removed("team-5");
    }
    try (WatchStream _ = open(false)) {
      if (!beforeTheWatch) {
        known.removed("team-5");
      }
      watch.narrow();
      assertThat(watch.isReselecting()).as("the deletions are still to come").isFalse();
      stored.remove("team-5");
      watch.narrow();
      assertThat(watch.isReselecting()).isTrue();
    }
  }

  private WatchStream open(boolean list) {
    return watch.open(KubernetesRuntime.of(kubernetes).transport(), Map.of(), list);
  }

  private void teamsExist() {
    for (int i = 0; i < 8; i++) {
      known.added("team-" + i);
    }
    known.complete();
  }
}
