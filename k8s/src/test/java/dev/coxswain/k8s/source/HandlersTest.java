// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static dev.coxswain.k8s.cache.ObjectEvents.added;
import static dev.coxswain.k8s.cache.ObjectEvents.updated;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
    handler.handle(event, requests::add);
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
        handler
            .keys()
            .orElseThrow()
            .of(
                Request.of("a", "x"),
                dev.coxswain.k8s.client.Json.encode(object).getAsJsonObject("metadata"),
                kept::add);
        assertThat(kept).isEqualTo(requests(handler, added(object)));
      }
    }
    assertThat(Handlers.<V1ConfigMap>map(m -> List.of()).keys()).isEmpty();
    assertThat(Handlers.<V1ConfigMap>owner(V1Deployment.class).keys())
        .as("equal mappings share a cache")
        .isEqualTo(Handlers.<V1ConfigMap>owner(V1Deployment.class).keys());
  }
}
