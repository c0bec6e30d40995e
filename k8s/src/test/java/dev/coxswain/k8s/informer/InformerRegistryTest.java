// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class InformerRegistryTest extends CacheTestSupport {

  private final RecordingListener listener = new RecordingListener();

  @Test
  void sameKey_isOneListAndOneWatch_forAllUsers() {
    server.put("a", "x", "1");
    synced(listener);
    RecordingListener second = new RecordingListener();

    Await.get(caches.use(ALL).subscribe("second", second).synced());

    second.awaitEvents("ADDED a/x=1 INITIAL_LIST");
    assertThat(server.lists()).hasSize(1);
    assertThat(server.watches()).hasSize(1);
    assertThat(caches.statuses())
        .singleElement()
        .satisfies(s -> assertThat(s.users()).isEqualTo(2));
  }

  @Test
  void otherSelectorOrView_isAnotherCache() {
    synced(listener);
    var selected = caches.use(new CacheKey<>(ALL.type(), "", "a=b", ""));
    var trees =
        caches.use(
            new CacheKey<>(
                ResourceType.unstructured("", "v1", "configmaps", "ConfigMap", true), "", "", ""));
    server.put("a", "x", "1");

    Await.until("the tree", () -> trees.contains(Request.of("a", "x")));

    Unstructured tree = trees.get(Request.of("a", "x")).orElseThrow();
    assertThat(tree.at("data", "v").orElseThrow().getAsString()).isEqualTo("1");
    Await.until("three watches", () -> server.watches().size() == 3);
    assertThat(server.watches())
        .anySatisfy(q -> assertThat(q).containsEntry("labelSelector", "a=b"));
    selected.close();
  }

  @Test
  void lastUser_stopsTheCache_andNotBefore() {
    InformerHandle<V1ConfigMap> first = synced(listener);
    InformerHandle<V1ConfigMap> second = caches.use(ALL);

    first.close();
    first.close();
    assertThat(caches.statuses()).hasSize(1);
    second.close();

    assertThat(caches.statuses()).isEmpty();
    Await.until("the stopped state", () -> second.status().phase() == CacheStatus.Phase.STOPPED);
    Await.until(
        "the watch to end",
        () -> {
          server.bookmark();
          return server.openWatches() == 0;
        });
  }

  @Test
  void cacheThatIsUsedAgain_listsAnew() {
    server.put("a", "x", "1");
    synced(listener).close();

    RecordingListener again = new RecordingListener();
    Await.get(caches.use(ALL).subscribe("again", again).synced());

    again.awaitEvents("ADDED a/x=1 INITIAL_LIST");
    assertThat(server.lists()).hasSize(2);
  }

  @Test
  void cancelledSubscription_hearsNothingMore_andTellsWhenItHasEnded() {
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    Subscription subscription = cache.subscribe("test", listener);
    Await.get(subscription.synced());

    Await.get(subscription.cancel());
    server.put("a", "x", "1");

    Await.until("the cache to see it", () -> cache.contains(Request.of("a", "x")));
    assertThat(listener.events()).isEmpty();
  }

  @Test
  void subscriptions_endWithTheirHandle_andNoOthers() {
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    Set<Thread> ended = threadsOf(cache, "first", "second");
    Set<Thread> left = threadsOf(caches.use(ALL), "other");

    cache.close();

    Await.until("their threads to end", () -> ended.stream().noneMatch(Thread::isAlive));
    assertThat(left).allMatch(Thread::isAlive);
  }

  @Test
  void subscriptions_endWithTheRegistry() {
    Set<Thread> threads = threadsOf(caches.use(ALL), "test");

    caches.close();

    Await.until("their threads to end", () -> threads.stream().noneMatch(Thread::isAlive));
  }

  @Test
  void subscriptionAfterTheEndOfTheRegistry_ends() {
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    caches.close();

    Await.get(cache.subscribe("late", listener).synced().otherwiseEmpty());

    assertThat(listener.events()).isEmpty();
  }

  /** Subscribes, and returns the threads on which events are delivered. */
  private static Set<Thread> threadsOf(InformerHandle<V1ConfigMap> cache, String... names) {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    for (String name : names) {
      ThreadFactory kept =
          task -> {
            Thread thread = Thread.ofPlatform().daemon().unstarted(task);
            threads.add(thread);
            return thread;
          };
      Await.get(cache.subscribe(name, kept, event -> {}).synced());
    }
    return threads;
  }

  @Test
  void changingWhatWasHandedOut_changesNoCache() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);
    V1ConfigMap mine = cache.get(Request.of("a", "x")).orElseThrow();

    ConfigMaps.data(mine).put("v", "spoilt");
    ConfigMaps.meta(mine).setName("other");

    assertThat(cache.get(Request.of("a", "x")).orElseThrow().getData()).containsEntry("v", "1");
  }

  @Test
  void keysOfOneNamespace_shareItsString() {
    server.put("a", "x", "1");
    server.put("a", "y", "1");
    List<Request> keys = new CopyOnWriteArrayList<>();
    Await.get(caches.use(ALL).subscribe("test", event -> keys.add(event.key())).synced());
    Await.until("the watch to be open", () -> server.openWatches() >= 1);

    server.put("a", "z", "1");
    server.delete("a", "x");

    Await.until("four events", () -> keys.size() == 4);
    String first = keys.getFirst().namespace();
    assertThat(keys).allSatisfy(key -> assertThat(key.namespace()).isSameAs(first));
  }

  @Test
  void managedFields_areNotKept() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);

    assertThat(ConfigMaps.meta(cache.get(Request.of("a", "x")).orElseThrow()).getManagedFields())
        .isNullOrEmpty();
    assertThat(cache.status().bytes()).isLessThan(200);
  }

  @Test
  void objectsAreFoundByNamespaceAndByLabels() {
    server.put("a", "x", "1");
    server.put("a", "y", "2");
    server.put("b", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);

    assertThat(cache.list("a")).hasSize(2);
    assertThat(cache.list("c")).isEmpty();
    assertThat(cache.list(LabelSelector.parse("v in (1,3)")))
        .extracting(m -> ConfigMaps.meta(m).getNamespace())
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void closedRegistry_givesOutNothing() {
    caches.close();

    assertThatThrownBy(() -> caches.use(ALL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }
}
