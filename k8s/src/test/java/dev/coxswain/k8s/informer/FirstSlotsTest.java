// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.internal.slots.NamespaceLists;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The first list of a filtered informer waits while no slot is kept. */
class FirstSlotsTest extends CacheTestSupport {
  private final KeptSlots slots = new KeptSlots(new NumberedSlots(4));

  private Reflector<V1ConfigMap> waiting(Informer<V1ConfigMap> informer) {
    ApiTransport transport = new ApiTransport(server.client(), KubernetesOptions.DEFAULT);
    return new Reflector<>(
        transport,
        new NamespaceLists(transport),
        informer,
        FAST.withFirstSlotsWait(Duration.ofHours(1)),
        Clock.system(),
        RandomGenerator.getDefault());
  }

  private Informer<V1ConfigMap> informer() {
    Informer<V1ConfigMap> informer = new Informer<>(ALL, Clock.system(), slots, null);
    slots.add(informer);
    informer.filter().add(CacheUser.filtered("test", ObjectKeys.SELF));
    return informer;
  }

  @Test
  void reflectorThatIsStoppedBeforeItRuns_doesNotWaitForSlots() throws Exception {
    Reflector<V1ConfigMap> reflector = waiting(informer());
    reflector.stop();
    Thread thread = Thread.ofVirtual().start(reflector);
    assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
  }

  @Test
  void reflectorThatIsStoppedWhileItWaits_ends() throws Exception {
    Reflector<V1ConfigMap> reflector = waiting(informer());
    Thread thread = Thread.ofVirtual().start(reflector);
    Await.until("waiting", () -> thread.getState() == Thread.State.TIMED_WAITING);
    reflector.stop();
    assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
    assertThat(server.lists()).isEmpty();
  }

  /** A host that starts knows its slots a moment after its controllers run. */
  @Test
  void firstList_waitsForTheFirstSlots_soThatNothingIsListedTwice() {
    server.put("a", "x1", "1");
    Informer<V1ConfigMap> informer = informer();
    Reflector<V1ConfigMap> reflector = waiting(informer);
    Thread thread = Thread.ofVirtual().start(reflector);
    Await.until("waiting", () -> thread.getState() == Thread.State.TIMED_WAITING);
    assertThat(server.watches()).isEmpty();

    slots.keep(List.of(0, 1, 2, 3));

    Await.until("the list", informer::isSynced);
    assertThat(informer.entries()).containsKey("a");
    assertThat(server.watches()).hasSize(1);
    assertThat(server.lists()).isEmpty();
    reflector.stop();
  }

  @Test
  void firstList_waitsNoLonger_whenAUserNeedsAllObjects() {
    Informer<V1ConfigMap> informer = informer();
    Reflector<V1ConfigMap> reflector = waiting(informer);
    Thread thread = Thread.ofVirtual().start(reflector);
    Await.until("waiting", () -> thread.getState() == Thread.State.TIMED_WAITING);

    informer.filter().add(CacheUser.full("test", "needs all"));
    informer.loadMissing();

    Await.until("the list", informer::isSynced);
    reflector.stop();
  }
}
