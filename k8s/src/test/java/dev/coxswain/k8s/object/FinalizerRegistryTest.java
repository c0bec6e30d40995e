// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FinalizerRegistryTest {

  private static final String BUCKET = "test.coxswain.dev/bucket";
  private static final String RECORD = "test.coxswain.dev/record";
  private static final String LAST = "test.coxswain.dev/last";
  private static final Request KEY = Request.of("default", "x");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final List<String> cleaned = new ArrayList<>();
  private final Set<String> failing = new HashSet<>();
  private final FinalizerRegistry<V1ConfigMap> finalizers =
      new FinalizerRegistry<>(maps)
          .register(BUCKET, object -> clean(BUCKET))
          .register(RECORD, object -> clean(RECORD));

  private void clean(String what) throws IOException {
    cleaned.add(what);
    if (failing.contains(what)) {
      throw new IOException(what);
    }
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private V1ConfigMap create() {
    return maps.create(
        new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("x")));
  }

  private static List<String> finalizersOf(V1ConfigMap map) {
    List<String> all = ConfigMaps.meta(map).getFinalizers();
    return all == null ? List.of() : all;
  }

  @Test
  void objectGetsAllFinalizers_beforeItIsReconciled_andNothingIsWrittenWhenItHasThem()
      throws Exception {
    V1ConfigMap live = finalizers.handle(create()).orElseThrow();
    assertThat(finalizersOf(live)).containsExactly(BUCKET, RECORD);
    assertThat(finalizers.handle(live)).containsSame(live);
    assertThat(ConfigMaps.meta(maps.get(KEY).orElseThrow()).getResourceVersion())
        .isEqualTo(ConfigMaps.meta(live).getResourceVersion());
    assertThat(cleaned).isEmpty();
  }

  @Test
  void deletedObject_isGone_whenItsCleanupsHaveSucceeded_inTheirOrder() throws Exception {
    finalizers.handle(create());
    maps.delete(KEY);
    assertThat(finalizers.handle(maps.get(KEY).orElseThrow())).isEmpty();
    assertThat(cleaned).containsExactly(BUCKET, RECORD);
    assertThat(maps.get(KEY)).isEmpty();
  }

  /** All ran again when the next event came before the cache had received the removals. */
  @Test
  void anOldCopy_runsNoCleanupAgain_whoseFinalizerWasRemoved_butThatOfANewObject()
      throws Exception {
    finalizers.handle(create());
    maps.delete(KEY);
    V1ConfigMap old = maps.get(KEY).orElseThrow();
    failing.add(RECORD);
    assertThatThrownBy(() -> finalizers.handle(old)).hasMessage(RECORD);
    failing.clear();
    finalizers.handle(old);
    assertThat(finalizers.handle(old)).isEmpty();
    assertThat(cleaned).containsExactly(BUCKET, RECORD, RECORD);
    assertThat(maps.get(KEY)).isEmpty();

    cleaned.clear();
    finalizers.handle(create());
    maps.delete(KEY);
    finalizers.handle(maps.get(KEY).orElseThrow());
    assertThat(cleaned).containsExactly(BUCKET, RECORD);
  }

  /** The cleanups behind it ran beside those of the next owner. */
  @Test
  void lostOwnership_endsTheCleanups_withAnEarlierFailureInIt() throws Exception {
    FinalizerRegistry<V1ConfigMap> registry =
        new FinalizerRegistry<>(maps)
            .register(BUCKET, object -> clean(BUCKET))
            .register(
                RECORD,
                object -> {
                  throw new LostOwnershipException("the slot has moved");
                })
            .register(LAST, object -> clean(LAST));
    registry.handle(create());
    maps.delete(KEY);
    failing.add(BUCKET);
    assertThatThrownBy(() -> registry.handle(maps.get(KEY).orElseThrow()))
        .isInstanceOf(LostOwnershipException.class)
        .satisfies(lost -> assertThat(lost.getSuppressed()).hasSize(1));
    assertThat(cleaned).containsExactly(BUCKET);
  }

  @Test
  void cleanupThatFails_keepsItsFinalizerAlone_andIsRepeatedAlone() throws Exception {
    finalizers.handle(create());
    maps.delete(KEY);
    failing.add(BUCKET);
    assertThatThrownBy(() -> finalizers.handle(maps.get(KEY).orElseThrow()))
        .isInstanceOf(IOException.class)
        .hasMessage(BUCKET);
    V1ConfigMap held = maps.get(KEY).orElseThrow();
    assertThat(finalizersOf(held)).containsExactly(BUCKET);
    failing.clear();
    cleaned.clear();
    finalizers.handle(held);
    assertThat(cleaned).containsExactly(BUCKET);
    assertThat(maps.get(KEY)).isEmpty();
  }

  @Test
  void aStepThatLeavesSomething_keepsItsFinalizer_withoutAFailure() throws Exception {
    FinalizerRegistry<V1ConfigMap> registry =
        new FinalizerRegistry<>(maps)
            .registerSteps(BUCKET, object -> cleaned.contains(RECORD))
            .register(RECORD, object -> clean(RECORD));
    registry.handle(create());
    maps.delete(KEY);

    registry.handle(maps.get(KEY).orElseThrow());
    V1ConfigMap held = maps.get(KEY).orElseThrow();
    assertThat(finalizersOf(held)).containsExactly(BUCKET);

    assertThat(registry.handle(held)).isEmpty();
    assertThat(maps.get(KEY)).isEmpty();
  }

  @Test
  void severalFailures_areReportedTogether() throws Exception {
    finalizers.handle(create());
    maps.delete(KEY);
    failing.addAll(Set.of(BUCKET, RECORD));
    assertThatThrownBy(() -> finalizers.handle(maps.get(KEY).orElseThrow()))
        .hasMessage(BUCKET)
        .satisfies(e -> assertThat(e.getSuppressed()).singleElement().asString().contains(RECORD));
  }

  @Test
  void objectThatIsDeletedSinceItWasRead_isNotReconciled() throws Exception {
    V1ConfigMap old = finalizers.handle(create()).orElseThrow();
    ConfigMaps.meta(old).setFinalizers(List.of()); // as an old cache would have it
    maps.delete(KEY);
    assertThat(finalizers.handle(old)).as("being deleted").isEmpty();
    finalizers.handle(maps.get(KEY).orElseThrow());
    assertThat(finalizers.handle(old)).as("gone").isEmpty();
  }

  @Test
  void finalizer_isRegisteredOnce() {
    assertThatThrownBy(() -> finalizers.register(BUCKET, object -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
