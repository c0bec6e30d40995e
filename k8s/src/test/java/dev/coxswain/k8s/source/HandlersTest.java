// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static dev.coxswain.k8s.cache.ObjectEvent.added;
import static dev.coxswain.k8s.cache.ObjectEvent.deleted;
import static dev.coxswain.k8s.cache.ObjectEvent.resynced;
import static dev.coxswain.k8s.cache.ObjectEvent.updated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HandlersTest {

  private static V1OwnerReference owner(String api, String kind, String name, boolean controls) {
    return new V1OwnerReference()
        .apiVersion(api)
        .kind(kind)
        .name(name)
        .uid("u-" + name)
        .controller(controls);
  }

  private static V1ConfigMap ownedBy(V1OwnerReference... owners) {
    return new V1ConfigMap()
        .metadata(
            new V1ObjectMeta().namespace("a").name("x").uid("u").ownerReferences(List.of(owners)));
  }

  private static List<Request> requests(
      EventHandler<V1ConfigMap> handler, ObjectEvent<V1ConfigMap> event) {
    List<Request> requests = new ArrayList<>();
    handler.handle(event, RequestSink.to(requests::add));
    return requests;
  }

  @Test
  void object_isNamedItself() {
    assertThat(requests(Handlers.object(), added(ownedBy()))).containsExactly(Request.of("a", "x"));
    assertThat(Handlers.<V1ConfigMap>object().namesObjects()).isTrue();
  }

  @Test
  void owner_isTheControllingOneOfThatKind_inAnyVersionOfItsGroup() {
    V1ConfigMap owned =
        ownedBy(
            owner("apps/v1beta9", "Deployment", "web", true),
            owner("apps/v1", "Deployment", "other", false),
            owner("batch/v1", "Deployment", "wrong-group", true));

    assertThat(requests(Handlers.owner(V1Deployment.class), added(owned)))
        .containsExactly(Request.of("a", "web"));
  }

  @Test
  void anyOwner_isEveryOneOfThatKind() {
    V1ConfigMap owned =
        ownedBy(
            owner("apps/v1", "Deployment", "web", true),
            owner("apps/v1", "Deployment", "other", false));

    assertThat(
            requests(
                Handlers.anyOwner(dev.coxswain.k8s.resource.ResourceType.of(V1Deployment.class)),
                added(owned)))
        .containsExactly(Request.of("a", "web"), Request.of("a", "other"));
  }

  @Test
  void clusterScopedOwner_hasNoNamespace() {
    assertThat(
            requests(Handlers.owner(V1Node.class), added(ownedBy(owner("v1", "Node", "n", true)))))
        .containsExactly(Request.of("n"));
  }

  @Test
  void objectThatChangesHands_leadsToBothOwners() {
    V1ConfigMap before = ownedBy(owner("apps/v1", "Deployment", "old", true));
    V1ConfigMap now = ownedBy(owner("apps/v1", "Deployment", "new", true));

    assertThat(requests(Handlers.owner(V1Deployment.class), updated(before, now)))
        .containsExactlyInAnyOrder(Request.of("a", "old"), Request.of("a", "new"));
  }

  static Stream<EventHandler<V1ConfigMap>> thatFailForTheNewState() {
    return Stream.of(
        Handlers.map(map -> mapped(Objects.requireNonNull(map.getMetadata()))),
        Handlers.mapByMetadata(HandlersTest::mapped),
        Handlers.both(
            (event, requests) -> {
              throw new IllegalStateException("user code");
            },
            (event, requests) -> requests.accept(Request.of("a", "old"))));
  }

  private static List<Request> mapped(V1ObjectMeta metadata) {
    Map<String, String> labels = Objects.requireNonNull(metadata.getLabels());
    return List.of(Request.of("a", Objects.requireNonNull(labels.get("parent"))));
  }

  @ParameterizedTest
  @MethodSource("thatFailForTheNewState")
  void functionThatThrowsForTheNewState_leadsToTheRequestsOfTheFormerOne_andFails(
      EventHandler<V1ConfigMap> handler) {
    V1ConfigMap before = ownedBy();
    Objects.requireNonNull(before.getMetadata()).labels(Map.of("parent", "old"));
    List<Request> requests = new ArrayList<>();

    assertThatThrownBy(
            () -> handler.handle(updated(before, ownedBy()), RequestSink.to(requests::add)))
        .isInstanceOfAny(NullPointerException.class, IllegalStateException.class);
    assertThat(requests).containsExactly(Request.of("a", "old"));
  }

  @Test
  void bothFail_neitherFailureIsLost() {
    IllegalStateException one = new IllegalStateException("one");
    IllegalStateException two = new IllegalStateException("two");

    assertThatThrownBy(() -> requests(failing(one, two), added(ownedBy())))
        .isSameAs(one)
        .hasSuppressedException(two);
    assertThatThrownBy(() -> requests(failing(two, two), added(ownedBy()))).isSameAs(two);
  }

  private static EventHandler<V1ConfigMap> failing(RuntimeException one, RuntimeException two) {
    return Handlers.both(
        (event, requests) -> {
          throw one;
        },
        (event, requests) -> {
          throw two;
        });
  }

  @Test
  void transientFailure_isThrownBeforeAnother() {
    EventHandler<V1ConfigMap> handler =
        Handlers.both(
            (event, requests) -> {
              throw new IllegalStateException("user code");
            },
            (event, requests) -> {
              throw new OutOfMemoryError("for a test");
            });

    assertThatThrownBy(() -> requests(handler, added(ownedBy())))
        .isInstanceOf(OutOfMemoryError.class);
  }

  /** What decides whether an object is kept, and what its events lead to, must never differ. */
  @Test
  void staticMappings_ofReceivedMetadata_areThoseOfTheHandlers() {
    List<EventHandler<V1ConfigMap>> handlers =
        List.of(
            Handlers.object(),
            Handlers.owner(V1Deployment.class),
            Handlers.owner(V1Node.class),
            Handlers.anyOwner(dev.coxswain.k8s.resource.ResourceType.of(V1Deployment.class)),
            Handlers.mapByMetadata(m -> List.of(Request.of("k", String.valueOf(m.getUid())))));
    List<V1ConfigMap> objects =
        List.of(
            ownedBy(),
            ownedBy(owner("apps/v1", "Deployment", "web", true), owner("v1", "Node", "n", true)),
            ownedBy(
                owner("apps/v1beta9", "Deployment", "web", false),
                owner("v1", "Deployment", "other-group", true)));
    for (EventHandler<V1ConfigMap> handler : handlers) {
      for (V1ConfigMap object : objects) {
        List<Request> kept = new ArrayList<>();
        ObjectKeys keys = handler.keys().orElseThrow();
        // What it says that it reads is all that it reads.
        keys.of(
            Request.of("a", "x"),
            ReceivedObject.of(Json.encode(object)).metadata(keys.members()),
            kept::add);
        assertThat(kept).isEqualTo(requests(handler, added(object)));
      }
    }
    assertThat(Handlers.<V1ConfigMap>map(m -> List.of()).keys()).isEmpty();
    assertThat(Handlers.<V1ConfigMap>owner(V1Deployment.class).keys())
        .as("equal mappings share a cache")
        .isEqualTo(Handlers.<V1ConfigMap>owner(V1Deployment.class).keys());
  }

  @Test
  void handlerOfOneKindOfEvents_ignoresTheOthers_andKeepsTheSameObjects() {
    V1ConfigMap map = ownedBy();
    List<ObjectEvent<V1ConfigMap>> events =
        List.of(added(map), updated(map, map), resynced(map), deleted(map));
    List<EventHandler<V1ConfigMap>> handlers =
        List.of(
            Handlers.onCreate(Handlers.object()),
            Handlers.onUpdate(Handlers.object()),
            Handlers.onDelete(Handlers.object()));
    List<List<Integer>> handled = new ArrayList<>();
    for (EventHandler<V1ConfigMap> handler : handlers) {
      handled.add(events.stream().map(event -> requests(handler, event).size()).toList());
      assertThat(handler.namesObjects()).isTrue();
      assertThat(handler.keys()).contains(ObjectKeys.SELF);
    }
    assertThat(handled)
        .containsExactly(List.of(1, 0, 0, 0), List.of(0, 1, 1, 0), List.of(0, 0, 0, 1));
  }

  private static List<String> due(EventHandler<V1ConfigMap> handler) {
    List<String> due = new ArrayList<>();
    handler.handle(added(ownedBy()), (request, delay, priority) -> due.add(delay + " " + priority));
    return due;
  }

  @Test
  void delayAndPriority_areThoseAroundTheHandler_unlessItSetsThemItself() {
    Duration second = Duration.ofSeconds(1);
    EventHandler<V1ConfigMap> own =
        (event, requests) -> requests.add(event.key(), Duration.ofSeconds(9), 9);

    assertThat(due(Handlers.object())).containsExactly("PT0S 0");
    assertThat(due(Handlers.after(second, Handlers.object()))).containsExactly("PT1S 0");
    assertThat(due(Handlers.withPriority(5, Handlers.object()))).containsExactly("PT0S 5");
    assertThat(due(Handlers.after(second, Handlers.withPriority(5, Handlers.object()))))
        .containsExactly("PT1S 5");
    assertThat(due(Handlers.withPriority(5, Handlers.after(second, Handlers.object()))))
        .containsExactly("PT1S 5");
    assertThat(due(Handlers.after(second, Handlers.withPriority(5, own))))
        .containsExactly("PT9S 9");
  }

  @Test
  void bothHandlers_handleEachEvent_andKeepTheObjectsOfBoth() {
    V1ConfigMap owned = ownedBy(owner("apps/v1", "Deployment", "web", true));
    EventHandler<V1ConfigMap> both =
        Handlers.both(Handlers.onDelete(Handlers.object()), Handlers.owner(V1Deployment.class));

    assertThat(requests(both, added(owned))).containsExactly(Request.of("a", "web"));
    assertThat(requests(both, deleted(owned)))
        .containsExactly(Request.of("a", "x"), Request.of("a", "web"));
    List<Request> kept = new ArrayList<>();
    both.keys()
        .orElseThrow()
        .of(Request.of("a", "x"), Json.encode(owned).getAsJsonObject("metadata"), kept::add);
    assertThat(kept).containsExactly(Request.of("a", "x"), Request.of("a", "web"));
    assertThat(both.namesObjects()).isFalse();
    assertThat(Handlers.both(both, Handlers.map(m -> List.of())).keys())
        .as("one of them needs all objects")
        .isEmpty();
  }
}
