// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.dependant.AppliedDependants;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dependants are created and deleted by what the server has, whatever the caches show. */
class DependantWritesTest {

  private static final Request KEY = Request.of("default", "web");

  /** A map with the size; none of size 0. */
  private static final Dependant<Widget, V1ConfigMap> MAP =
      Dependant.of(
          V1ConfigMap.class,
          widget ->
              size(widget) == 0
                  ? Optional.empty()
                  : Optional.of(
                      new V1ConfigMap().data(Map.of("size", String.valueOf(size(widget))))));

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  /** Another process, whose writes the caches show only by their events. */
  private final Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  private final Resource<Widget> widgets = user.resource(Widget.class);
  private final Resource<V1ConfigMap> maps = user.resource(V1ConfigMap.class);
  private final RecordingSink sink = new RecordingSink();

  @BeforeEach
  void install() {
    server.apply(Widget.DEFINITION);
  }

  @AfterEach
  void close() {
    user.close();
    k8s.close();
    server.close();
  }

  private static int size(Widget widget) {
    return Objects.requireNonNull(widget.spec).size();
  }

  private ControllerBuilder builder() {
    return k8s.controller("widgets").forKind(Widget.class);
  }

  /** Starts the sources; the attempts are calls of this test. */
  private KindSource<V1ConfigMap> start(ControllerBuilder builder) {
    Controller<Request> controller = builder.reconciles((_, _) -> Result.done());
    controller.sources().forEach(source -> Await.get(source.start(sink)));
    return builder.owned(V1ConfigMap.class).getFirst();
  }

  private Optional<String> stored() {
    return maps.get(KEY).map(map -> Objects.requireNonNull(map.getData()).get("size"));
  }

  private Widget resized(int size) {
    return widgets.modify(KEY, now -> now.spec = new Widget.Spec(size, null)).orElseThrow();
  }

  @Test
  void aPrimaryObjectThatIsGone_getsNoDependant() {
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    start(builder);
    Widget gone = widgets.create(Widget.of("web", 1));
    widgets.delete(KEY);

    AppliedDependants applied = dependants.apply(gone);

    assertThat(applied.get(MAP)).isEmpty();
    assertThat(applied.unready()).containsExactly("ConfigMap default/web");
    assertThat(stored()).isEmpty();

    widgets.create(Widget.of("web", 1));
    assertThat(dependants.apply(gone).get(MAP)).as("of another one with that name").isEmpty();
    assertThat(stored()).isEmpty();
  }

  @Test
  void creation_isDecidedByThePrimaryObjectOnTheServer() {
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    start(builder);
    Widget former = widgets.create(Widget.of("web", 1));

    resized(0);
    assertThat(dependants.apply(former).isReady()).as("none is desired any more").isTrue();
    assertThat(stored()).isEmpty();

    resized(2);
    assertThat(dependants.apply(former).get(MAP)).isPresent();
    assertThat(stored()).contains("2");
  }

  @Test
  void deletion_isDecidedByTheServer_andSparesWhatIsNoLongerOwned() {
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    KindSource<V1ConfigMap> cache = start(builder);
    dependants.apply(widgets.create(Widget.of("web", 1)));
    Await.until("the map is in the cache", () -> cache.get(KEY).isPresent());
    Widget none = resized(0);
    resized(1);

    dependants.apply(none);
    assertThat(stored()).as("desired again").contains("1");

    server.faults().silenceWatches(true);
    maps.modify(KEY, map -> OwnerReferences.remove(widgets.type(), none, map));
    Widget noneAgain = resized(0);
    assertThatThrownBy(() -> dependants.apply(noneAgain))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isConflict()).isTrue());
    assertThat(stored()).as("without an owner, which the cache does not show").contains("1");

    server.faults().silenceWatches(false);
    server.faults().closeWatches();
    Await.until(
        "the cache shows that it has no owner",
        () -> cache.get(KEY).filter(map -> OwnerReferences.of(map).isEmpty()).isPresent());
    dependants.apply(noneAgain);
    assertThat(stored()).as("it has no owner").contains("1");
  }

  @Test
  void fieldsOfOtherManagers_areTaken_andReported() {
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    KindSource<V1ConfigMap> cache = start(builder);
    Widget widget = widgets.create(Widget.of("web", 1));
    assertThat(dependants.apply(widget).conflicts()).isEmpty();

    maps.with(options -> options.withFieldManager("editor"))
        .modify(KEY, map -> map.setData(Map.of("size", "9")));
    Await.until(
        "the edit is in the cache",
        () -> cache.get(KEY).filter(map -> Map.of("size", "9").equals(map.getData())).isPresent());

    assertThat(dependants.apply(widget).conflicts())
        .singleElement()
        .asString()
        .startsWith("ConfigMap default/web: ")
        .contains("\"editor\"", ".data.size");
    assertThat(stored()).contains("1");
  }

  @Test
  void anotherHandlerOfTheKind_doesNotReplaceTheOneOfDependants() {
    ControllerBuilder builder = builder().watches(V1ConfigMap.class, (event, requests) -> {});
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    start(builder);
    dependants.apply(widgets.create(Widget.of("web", 1)));
    sink.awaitAdded("default/web 0 EVENT", "default/web 0 EVENT");

    maps.delete(KEY);

    sink.awaitAdded("default/web 0 EVENT", "default/web 0 EVENT", "default/web 0 EVENT");
  }

  @Test
  void twoStatesOfOneObject_areRefused() {
    ControllerBuilder builder = builder();
    Dependant<Widget, V1ConfigMap> other =
        Dependant.of(V1ConfigMap.class, _ -> Optional.of(new V1ConfigMap()));
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP, other.as("Other"));
    start(builder);
    Widget widget = widgets.create(Widget.of("web", 1));

    assertThatThrownBy(() -> dependants.apply(widget))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two objects have the key ConfigMap default/web");
    assertThat(stored()).isEmpty();
  }

  @Test
  void whatAnotherOneNeeds_stays_alsoWhenTheCacheDoesNotShowThatOneYet() {
    Dependant<Widget, V1Secret> secret =
        Dependant.<Widget, V1Secret>of(V1Secret.class, _ -> Optional.of(new V1Secret())).after(MAP);
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP, secret);
    KindSource<V1ConfigMap> cache = start(builder);
    Widget widget = widgets.create(Widget.of("web", 1));
    maps.create(owned(widget, new V1ConfigMap().metadata(new V1ObjectMeta())));
    Await.until("the map is in the cache", () -> cache.get(KEY).isPresent());
    server.faults().silenceWatches(true);
    Resource<V1Secret> secrets = user.resource(V1Secret.class);
    secrets.create(owned(widget, new V1Secret().metadata(new V1ObjectMeta())));

    dependants.apply(resized(0));
    assertThat(maps.get(KEY)).as("another process has made its Secret").isPresent();

    secrets.delete(KEY);
    dependants.apply(widgets.get(KEY).orElseThrow());
    assertThat(maps.get(KEY)).isEmpty();
  }

  private <T extends KubernetesObject> T owned(Widget widget, T object) {
    object.getMetadata().namespace("default").name("web");
    OwnerReferences.setController(widgets.type(), widget, object);
    return object;
  }

  @Test
  void conditions_ofAnAttemptThatChangesNothing_keepTheirTimes() {
    ControllerBuilder builder = builder();
    Dependant<Widget, V1Secret> none = Dependant.of(V1Secret.class, _ -> Optional.empty());
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP, none);
    start(builder);
    Widget widget = widgets.create(Widget.of("web", 1));

    List<V1Condition> before = dependants.apply(widget).conditions();
    before.forEach(one -> one.lastTransitionTime(OffsetDateTime.MIN));
    List<V1Condition> first = StatusConditions.with(null, before, Clock.system());
    List<V1Condition> second =
        StatusConditions.with(first, dependants.apply(widget).conditions(), Clock.system());

    assertThat(second).isEqualTo(first);
    assertThat(first)
        .as("of the first attempt")
        .allSatisfy(one -> assertThat(one.getLastTransitionTime()).isEqualTo(OffsetDateTime.MIN))
        .extracting(V1Condition::getType, V1Condition::getStatus, V1Condition::getReason)
        .containsExactly(
            tuple("ConfigMapReady", "True", "Applied"), tuple("SecretReady", "False", "Absent"));
  }

  /** An empty list that waited held nothing back. */
  @Test
  void waiting_isTransitive_alsoThroughAnEmptyList() {
    Dependant<Widget, V1ConfigMap> unready = MAP.readyWhen(_ -> false);
    Dependant<Widget, V1ConfigMap> none =
        Dependant.<Widget, V1ConfigMap>ofMany(V1ConfigMap.class, _ -> List.of())
            .as("Empty")
            .after(unready);
    Dependant<Widget, V1Secret> last =
        Dependant.<Widget, V1Secret>of(V1Secret.class, _ -> Optional.of(new V1Secret()))
            .after(none);
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, unready, none, last);
    start(builder);

    AppliedDependants applied = dependants.apply(widgets.create(Widget.of("web", 1)));

    assertThat(applied.waiting())
        .containsExactly(
            "Empty waits for ConfigMap default/web", "Secret waits for objects of Empty");
    assertThat(user.resource(V1Secret.class).get(KEY)).isEmpty();
  }

  /** Its end caused no event when the watch was broken all that time, and nothing went on. */
  @Test
  void inOrder_onlyWhatTheCacheHasReceivedIsDeleted() {
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    KindSource<V1ConfigMap> cache = start(builder);
    Widget widget = Widget.of("web", 1);
    widget.getMetadata().addFinalizersItem("test.coxswain.dev/dependants");
    Widget created = widgets.create(widget);
    server.faults().silenceWatches(true);
    dependants.apply(created);
    widgets.delete(KEY);
    Widget deleting = widgets.get(KEY).orElseThrow();

    assertThat(dependants.delete(deleting)).isFalse();
    assertThat(cache.get(KEY)).as("an own write").isPresent();
    assertThat(cache.received().get(KEY)).isEmpty();
    assertThat(stored()).contains("1");

    server.faults().silenceWatches(false);
    server.faults().closeWatches();
    Await.until("the cache has the map", () -> cache.received().contains(KEY));
    assertThat(dependants.delete(deleting)).as("until its event").isFalse();
    assertThat(stored()).isEmpty();
    assertThat(dependants.delete(deleting)).isTrue();
  }

  @Test
  void dependants_areDeleted_onlyWithTheirPrimaryObject() {
    ControllerBuilder builder = builder();
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, MAP);
    start(builder);
    Widget widget = widgets.create(Widget.of("web", 1));
    dependants.apply(widget);

    assertThatThrownBy(() -> dependants.delete(widget))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is not being deleted");
    assertThat(stored()).contains("1");
  }

  @Test
  void aKeyInNoNamespace_isRefused() {
    ControllerBuilder builder = builder();
    Dependant<Widget, V1ConfigMap> wide = MAP.at(_ -> Request.of("", "web"));
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, wide);
    start(builder);
    Widget widget = widgets.create(Widget.of("web", 1));

    assertThatThrownBy(() -> dependants.apply(widget))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in no namespace");
    assertThat(stored()).isEmpty();
  }
}
