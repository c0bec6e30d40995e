// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static dev.coxswain.k8s.cache.ObjectEvent.added;
import static dev.coxswain.k8s.cache.ObjectEvent.deleted;
import static dev.coxswain.k8s.cache.ObjectEvent.resynced;
import static dev.coxswain.k8s.cache.ObjectEvent.updated;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PredicatesTest {

  private static V1ConfigMap map(Consumer<V1ObjectMeta> change) {
    V1ObjectMeta metadata =
        new V1ObjectMeta()
            .namespace("a")
            .name("x")
            .uid("u")
            .generation(1L)
            .resourceVersion("1")
            .labels(Map.of("l", "1"))
            .annotations(Map.of("n", "1"));
    change.accept(metadata);
    return new V1ConfigMap().metadata(metadata);
  }

  private final V1ConfigMap old = map(m -> {});

  @Test
  void comparingPredicates_passAddsDeletesAndResyncs() {
    for (EventPredicate<V1ConfigMap> predicate :
        java.util.List.<EventPredicate<V1ConfigMap>>of(
            Predicates.generationChanged(),
            Predicates.resourceVersionChanged(),
            Predicates.labelsChanged(),
            Predicates.annotationsChanged())) {
      assertThat(predicate.test(added(old))).isTrue();
      assertThat(predicate.test(deleted(old))).isTrue();
      assertThat(predicate.test(resynced(old))).isTrue();
      assertThat(predicate.test(updated(old, old))).isFalse();
    }
  }

  @Test
  void generation_passesSpecChangesAndTheBeginOfDeletion_only() {
    EventPredicate<V1ConfigMap> generation = Predicates.generationChanged();

    assertThat(generation.test(updated(old, map(m -> m.generation(2L))))).isTrue();
    assertThat(
            generation.test(
                updated(
                    old,
                    map(m -> m.deletionTimestamp(OffsetDateTime.now(java.time.ZoneOffset.UTC))))))
        .isTrue();
    assertThat(generation.test(updated(old, map(m -> m.resourceVersion("2").labels(Map.of())))))
        .isFalse();
  }

  @Test
  void resourceVersion_passesAnyChange() {
    EventPredicate<V1ConfigMap> any = Predicates.resourceVersionChanged();

    assertThat(any.test(updated(old, map(m -> m.resourceVersion("2"))))).isTrue();
  }

  @Test
  void labelsAndAnnotations_passTheirOwnChanges_only() {
    var relabelled = updated(old, map(m -> m.labels(Map.of("l", "2"))));
    var annotated = updated(old, map(m -> m.annotations(null)));

    assertThat(Predicates.<V1ConfigMap>labelsChanged().test(relabelled)).isTrue();
    assertThat(Predicates.<V1ConfigMap>labelsChanged().test(annotated)).isFalse();
    assertThat(Predicates.<V1ConfigMap>annotationsChanged().test(annotated)).isTrue();
    assertThat(Predicates.<V1ConfigMap>annotationsChanged().test(relabelled)).isFalse();
  }

  @Test
  void selector_passesWhatIsOrWasSelected() {
    EventPredicate<V1ConfigMap> selects = Predicates.selects("l=1");
    V1ConfigMap other = map(m -> m.labels(Map.of("l", "2")));

    assertThat(selects.test(added(old))).isTrue();
    assertThat(selects.test(added(other))).isFalse();
    assertThat(selects.test(updated(old, other))).isTrue();
    assertThat(selects.test(updated(other, other))).isFalse();
  }

  @Test
  void predicates_areJoined() {
    EventPredicate<V1ConfigMap> yes = event -> true;

    assertThat(yes.and(yes.not()).test(added(old))).isFalse();
    assertThat(yes.not().or(yes).test(added(old))).isTrue();
  }

  @Test
  void predicateOfOneKindOfEvents_stopsNoOther() {
    V1ConfigMap other = map(m -> m.labels(Map.of("l", "2")));
    EventPredicate<V1ConfigMap> create = Predicates.onCreate(m -> false);
    EventPredicate<V1ConfigMap> update = Predicates.onUpdate((before, now) -> now.equals(other));
    EventPredicate<V1ConfigMap> delete = Predicates.onDelete(m -> false);

    assertThat(create.test(added(old))).isFalse();
    assertThat(create.test(updated(old, other))).isTrue();
    assertThat(create.test(deleted(old))).isTrue();

    assertThat(update.test(updated(old, other))).isTrue();
    assertThat(update.test(updated(other, old))).isFalse();
    assertThat(update.test(resynced(old))).as("nothing to compare").isTrue();
    assertThat(update.test(added(old))).isTrue();
    assertThat(update.test(deleted(old))).isTrue();

    assertThat(delete.test(deleted(old))).isFalse();
    assertThat(delete.test(added(old))).isTrue();
    assertThat(delete.test(updated(old, other))).isTrue();
  }
}
