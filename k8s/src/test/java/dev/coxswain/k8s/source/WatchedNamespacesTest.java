// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A deployment restricts what authors select to some namespaces. */
class WatchedNamespacesTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final RecordingSink sink = new RecordingSink();

  @BeforeEach
  void fill() {
    for (String namespace : List.of("a", "b", "c")) {
      server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + namespace + "}}");
      k8s.resource(V1ConfigMap.class).create(map(namespace));
    }
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static V1ConfigMap map(String namespace) {
    return new V1ConfigMap().metadata(new V1ObjectMeta().namespace(namespace).name("x"));
  }

  private Kubernetes watching(String... namespaces) {
    return KubernetesRuntime.of(k8s).watching(Set.of(namespaces));
  }

  private <T extends KubernetesObject> KindSource<T> started(KindSelection<T> selection) {
    KindSource<T> source = selection.toSource();
    Await.get(source.start(sink));
    return source;
  }

  @Test
  void aSelectionOfAllNamespaces_isOneListOfEachWatchedOne() {
    KindSource<V1ConfigMap> maps = started(watching("a", "b").kind(V1ConfigMap.class));
    Await.until("two requests, in any order", () -> sink.added().size() >= 2);
    assertThat(sink.added())
        .containsExactlyInAnyOrder("a/x -100 INITIAL_LIST", "b/x -100 INITIAL_LIST");
    assertThat(k8s.caches())
        .extracting(CacheStatus::name)
        .containsExactlyInAnyOrder("ConfigMap in a", "ConfigMap in b");
    assertThat(maps.keys()).containsExactlyInAnyOrder(Request.of("a", "x"), Request.of("b", "x"));
  }

  @Test
  void namespacesOfTheAuthor_areIntersected() {
    KindSource<V1ConfigMap> maps =
        started(watching("b", "c").kind(V1ConfigMap.class).inNamespaces(Set.of("a", "b")));
    assertThat(maps.describe()).isEqualTo("ConfigMap in b");
    assertThat(maps.keys()).containsExactly(Request.of("b", "x"));
  }

  @Test
  void withoutANamespaceInCommon_theSourceIsRefused_namingBoth() {
    KindSelection<V1ConfigMap> elsewhere =
        watching("b", "c").kind(V1ConfigMap.class).inNamespace("a");
    assertThatThrownBy(elsewhere::toSource)
        .hasMessageContaining("\"ConfigMap in a\"")
        .hasMessageContaining("watches only b, c")
        .hasMessageContaining("watchNamespaces");
  }

  @Test
  void aResourceWithoutNamespaces_isWatchedAsAWhole() {
    assertThat(started(watching("a").kind(V1Namespace.class)).keys())
        .contains(Request.of("", "a"), Request.of("", "b"), Request.of("", "c"));
  }

  /** An empty answer would make a reconciler create what exists. */
  @Test
  void aReadOfANamespaceThatIsLeftOut_throws_andNamesIt() {
    KindSource<V1ConfigMap> maps = started(watching("a", "b").kind(V1ConfigMap.class));
    assertThat(maps.get(Request.of("a", "y"))).isEmpty();
    assertThatThrownBy(() -> maps.get(Request.of("c", "x")))
        .hasMessageContaining("namespace \"c\", which this deployment does not watch");
    assertThatThrownBy(() -> maps.contains(Request.of("c", "x"))).hasMessageContaining("\"c\"");
    assertThatThrownBy(() -> maps.list("c")).hasMessageContaining("\"c\"");
    try (InformerHandle<V1ConfigMap> cache = watching("a").kind(V1ConfigMap.class).openCache()) {
      assertThatThrownBy(() -> cache.get(Request.of("c", "x"))).hasMessageContaining("\"c\"");
    }
  }

  @Test
  void readsOfOwnWrites_includeTheWritesOfEachWatchedNamespace() {
    Kubernetes some = watching("a", "b");
    KindSource<V1ConfigMap> maps =
        started(some.kind(V1ConfigMap.class).readYourWrites(some.ownWrites()));
    server.faults().silenceWatches(true); // the caches do not receive what follows
    for (String namespace : List.of("a", "b")) {
      some.resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(new V1ObjectMeta().namespace(namespace).name("own"))
                  .data(Map.of("v", namespace)));
      assertThat(maps.get(Request.of(namespace, "own")).orElseThrow().getData())
          .containsEntry("v", namespace);
      assertThat(maps.list(namespace)).hasSize(2);
    }
    assertThatThrownBy(() -> maps.list("c")).hasMessageContaining("\"c\"");
    assertThatThrownBy(() -> maps.owned().list("c")).hasMessageContaining("\"c\"");
    assertThat(maps.keys()).contains(Request.of("a", "own"), Request.of("b", "own"));
    some.resource(V1ConfigMap.class).delete(Request.of("b", "own"));
    assertThat(maps.get(Request.of("b", "own"))).isEmpty();
    assertThat(maps.get(Request.of("a", "own"))).isPresent();
  }

  @Test
  void manyNamespaces_areShownInPart() {
    assertThat(
            watching("n1", "n2", "n3", "n4", "n5", "n6", "n7")
                .kind(V1ConfigMap.class)
                .labels("app=web")
                .toSource()
                .describe())
        .isEqualTo("ConfigMap labels app=web in n1, n2, n3, n4, n5 and 2 more");
  }

  @Test
  void heldCaches_outliveTheirUsers_andAreNotListedAgain() {
    KindSource<V1ConfigMap> before = started(watching("a", "b").kind(V1ConfigMap.class));
    Runnable release = KubernetesRuntime.of(k8s).holdCaches();
    Await.get(before.stop());
    KindSource<V1ConfigMap> after = started(watching("b", "c").kind(V1ConfigMap.class));
    release.run();
    release.run();
    Await.until("a to stop", () -> k8s.caches().size() == 2);
    assertThat(k8s.caches())
        .extracting(CacheStatus::name, CacheStatus::lists, CacheStatus::users)
        .containsExactlyInAnyOrder(tuple("ConfigMap in b", 1L, 1), tuple("ConfigMap in c", 1L, 1));
    assertThat(after.keys()).contains(Request.of("b", "x"), Request.of("c", "x"));
    Await.get(after.stop());
    Await.until("all to stop", () -> k8s.caches().isEmpty());
  }
}
