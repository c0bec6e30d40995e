// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.ObjectTransform;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The watch sends nothing: the source can only read the writes below from their responses. */
class ReadYourWritesTest {

  private static final String HOLD = "test.coxswain.dev/hold";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final Request old = Request.of("default", "old");
  private final Request fresh = Request.of("default", "fresh");
  private final KindSource<V1ConfigMap> source =
      k8s.kind(V1ConfigMap.class).labels("mine").readYourWrites(k8s.ownWrites()).toSource();

  @BeforeEach
  void start() {
    write(old, "1");
    Await.get(source.start(new RecordingSink()));
    server.faults().silenceWatches(true);
  }

  @AfterEach
  void close() {
    Await.get(source.stop());
    k8s.close();
    server.close();
  }

  private V1ConfigMap write(Request key, String value) {
    return maps.createOrPatch(
        key,
        () -> new V1ConfigMap().metadata(new V1ObjectMeta().labels(Map.of("mine", "yes"))),
        map -> map.setData(new HashMap<>(Map.of("v", value))));
  }

  @Test
  void writtenObject_isReadAtOnce_inEveryWayOfReading() {
    write(old, "2");
    write(fresh, "1");

    assertThat(source.get(old).map(ConfigMaps::value)).contains("2");
    assertThat(source.contains(fresh)).isTrue();
    assertThat(source.keys()).containsExactlyInAnyOrder(old, fresh);
    assertThat(source.list()).extracting(ConfigMaps::value).containsExactlyInAnyOrder("2", "1");
    assertThat(source.list("default")).hasSize(2);
    assertThat(source.list("elsewhere")).isEmpty();
  }

  @Test
  void deletedObject_isGoneAtOnce_alsoWhenItIsMadeAgain() {
    maps.delete(old);
    assertThat(source.get(old)).isEmpty();
    assertThat(source.list()).isEmpty();

    write(old, "again");
    assertThat(source.get(old).map(ConfigMaps::value)).contains("again");
  }

  @Test
  void objectThatIsHeld_isSeenAsBeingDeleted_untilItsLastFinalizerIsOff() {
    Finalizers.add(maps, old, HOLD);
    maps.delete(old);
    assertThat(source.get(old))
        .hasValueSatisfying(m -> assertThat(Finalizers.isDeleting(m)).isTrue());

    Finalizers.remove(maps, old, HOLD);
    assertThat(source.get(old)).isEmpty();
  }

  @Test
  void objectThatIsNoLongerSelected_isNoLongerSeen() {
    maps.modify(old, map -> ConfigMaps.meta(map).setLabels(Map.of("other", "yes")));

    assertThat(source.get(old)).isEmpty();
    assertThat(source.keys()).isEmpty();
  }

  @Test
  void whenTheWatchSpeaksAgain_othersWritesAreSeenToo() {
    write(old, "2");
    try (Kubernetes others = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      others
          .resource(V1ConfigMap.class)
          .modify(old, map -> ConfigMaps.data(map).put("v", "theirs"));
    }
    assertThat(source.get(old).map(ConfigMaps::value)).contains("2");

    server.faults().silenceWatches(false);
    server.faults().closeWatches();

    Await.until(
        "the other write",
        () -> source.get(old).map(ConfigMaps::value).orElse("").equals("theirs"));
  }

  private KindSource<V1ConfigMap> transformed(ObjectTransform transform) {
    server.faults().silenceWatches(false);
    KindSource<V1ConfigMap> started =
        k8s.kind(V1ConfigMap.class)
            .labels("mine")
            .transformedBy(transform)
            .readYourWrites(k8s.ownWrites())
            .toSource();
    Await.get(started.start(new RecordingSink()));
    server.faults().silenceWatches(true);
    return started;
  }

  @Test
  void ownWrites_areTransformedAsTheCacheDoes_andTheWriterGetsTheWholeObject() {
    KindSource<V1ConfigMap> slim = transformed(ObjectTransform.without("data"));
    KindSource<V1ConfigMap> bare = transformed(ObjectTransform.without("metadata", "labels"));

    assertThat(ConfigMaps.value(write(old, "2"))).isEqualTo("2");
    write(fresh, "1");

    assertThat(slim.get(old).orElseThrow().getData()).isNullOrEmpty();
    assertThat(slim.get(fresh).orElseThrow().getData()).isNullOrEmpty();
    assertThat(slim.list()).hasSize(2).allSatisfy(map -> assertThat(map.getData()).isNullOrEmpty());
    // Selected by what the server holds, like everything else in this cache.
    assertThat(bare.keys()).containsExactlyInAnyOrder(old, fresh);
    assertThat(bare.list(LabelSelector.parse("mine"))).isEmpty();
    assertThat(source.get(old).map(ConfigMaps::value)).contains("2");
    Await.get(slim.stop());
    Await.get(bare.stop());
  }

  @Test
  void ownWriteThatTheTransformCannotTake_isSkipped_asInTheCache() {
    KindSource<V1ConfigMap> picky =
        transformed(object -> {
          if (object.toString().contains("\"bad\"")) {
            throw new IllegalStateException("on purpose");
          }
          return object;
        });

    write(old, "bad");
    assertThat(picky.get(old).map(ConfigMaps::value)).contains("1");

    write(old, "good");
    assertThat(picky.get(old).map(ConfigMaps::value)).contains("good");
    Await.get(picky.stop());
  }

  @Test
  void fieldSelector_isRefused_sinceOnlyTheServerKnows() {
    assertThatThrownBy(() ->
            k8s.kind(V1ConfigMap.class)
                .fields("metadata.name=x")
                .readYourWrites(k8s.ownWrites())
                .toSource())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("metadata.name=x");
  }
}
