// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A finalizer keeps a deleted object, also with concurrent writers. */
class FinalizersTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final Request key = Request.of("default", "x");

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private void create() {
    maps.create(
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("default").name("x"))
            .data(Map.of("v", "1")));
  }

  @Test
  void unstructuredObject_getsAndLosesItsFinalizer_andNoChangeOfItIsLostSilently() {
    Resource<Unstructured> trees =
        k8s.resource(ResourceType.unstructured("", "v1", "configmaps", "ConfigMap", true));
    create();
    Finalizers.add(trees, key, "test.coxswain.dev/hold");
    assertThat(trees.get(key))
        .get()
        .matches(tree -> Finalizers.has(tree, "test.coxswain.dev/hold"));
    Finalizers.remove(trees, trees.get(key).orElseThrow(), "test.coxswain.dev/hold");
    assertThat(trees.get(key))
        .get()
        .matches(tree -> !Finalizers.has(tree, "test.coxswain.dev/hold"));
    assertThatThrownBy(() -> trees.modify(key, tree -> tree.getMetadata().setLabels(Map.of())))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("modifyJson");
  }

  /** A server takes an object that names one twice; it is held until both are off. */
  @Test
  void finalizerThatIsThereTwice_isTakenOffWhole() {
    maps.create(
        new V1ConfigMap()
            .metadata(
                new V1ObjectMeta()
                    .namespace("default")
                    .name("x")
                    .finalizers(
                        java.util.List.of(
                            "test.coxswain.dev/hold",
                            "test.coxswain.dev/other",
                            "test.coxswain.dev/hold"))));

    V1ConfigMap left = Finalizers.remove(maps, key, "test.coxswain.dev/hold").orElseThrow();

    assertThat(java.util.Objects.requireNonNull(left.getMetadata()).getFinalizers())
        .containsExactly("test.coxswain.dev/other");
  }

  @Test
  void finalizer_holdsADeletedObject_untilItIsTakenOff() {
    create();
    Finalizers.add(maps, key, "test.coxswain.dev/hold");
    Finalizers.add(maps, key, "test.coxswain.dev/hold");
    maps.delete(key);

    V1ConfigMap held = maps.get(key).orElseThrow();
    assertThat(Finalizers.isDeleting(held)).isTrue();
    assertThat(ConfigMaps.meta(held).getFinalizers()).containsExactly("test.coxswain.dev/hold");

    Finalizers.remove(maps, key, "test.coxswain.dev/hold");
    assertThat(maps.get(key)).isEmpty();
    assertThat(Finalizers.remove(maps, key, "test.coxswain.dev/hold")).isEmpty();
  }

  @Test
  void finalizersOfMany_areAllPutOn_andAllTakenOff() throws Exception {
    create();
    // Held by one more, or the last one off would let it go in the middle.
    Finalizers.add(maps, key, "test.coxswain.dev/hold");

    forEachOfEight(i -> Finalizers.add(maps, key, "test.coxswain.dev/f" + i));
    assertThat(ConfigMaps.meta(maps.get(key).orElseThrow()).getFinalizers()).hasSize(9);

    maps.delete(key);
    forEachOfEight(i -> Finalizers.remove(maps, key, "test.coxswain.dev/f" + i));
    assertThat(ConfigMaps.meta(maps.get(key).orElseThrow()).getFinalizers())
        .containsExactly("test.coxswain.dev/hold");
  }

  /** At once, each until it has succeeded, as a reconciler would be called again. */
  private static void forEachOfEight(IntConsumer action) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int one = i;
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                while (true) {
                  try {
                    action.accept(one);
                    return;
                  } catch (ApiStatusException e) {
                    if (!e.isConflict()) {
                      throw e;
                    }
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
    }
  }

  @Test
  void finalizerOfANamesake_isLeftAlone() {
    create();
    V1ConfigMap first = Finalizers.add(maps, key, "test.coxswain.dev/hold").orElseThrow();
    maps.delete(key);
    Finalizers.remove(maps, first, "test.coxswain.dev/hold");
    assertThat(maps.get(key)).isEmpty();
    create();
    Finalizers.add(maps, key, "test.coxswain.dev/hold");

    Finalizers.remove(maps, first, "test.coxswain.dev/hold");

    assertThat(Finalizers.has(maps.get(key).orElseThrow(), "test.coxswain.dev/hold")).isTrue();
  }
}
