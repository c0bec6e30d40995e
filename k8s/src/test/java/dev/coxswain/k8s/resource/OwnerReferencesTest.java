// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import org.junit.jupiter.api.Test;

class OwnerReferencesTest {

  private static final ResourceType<V1ConfigMap> MAPS = ResourceType.of(V1ConfigMap.class);
  private static final ResourceType<V1Namespace> NAMESPACES = ResourceType.of(V1Namespace.class);

  private static V1ConfigMap map(String namespace, String name) {
    return new V1ConfigMap()
        .metadata(new V1ObjectMeta().namespace(namespace).name(name).uid("uid-" + name));
  }

  private final V1ConfigMap dependant = map("a", "dependant");

  @Test
  void secondController_isRefused_andTheErrorNamesTheFirst() {
    OwnerReferences.setController(MAPS, map("a", "one"), dependant);

    assertThatThrownBy(() -> OwnerReferences.setController(MAPS, map("a", "two"), dependant))
        .isInstanceOfSatisfying(
            AlreadyControlledException.class,
            e -> assertThat(e.controller().getName()).isEqualTo("one"))
        .hasMessage("\"dependant\" is controlled by ConfigMap \"one\" already");
    assertThat(OwnerReferences.of(dependant)).hasSize(1);
  }

  /** It used to be refused for ever: the owner that it named could not come back. */
  @Test
  void ownerThatWasMadeAgain_takesThePlaceOfItsEarlierIncarnation() {
    OwnerReferences.setController(MAPS, map("a", "one"), dependant);
    V1ConfigMap again = map("a", "one");
    java.util.Objects.requireNonNull(again.getMetadata()).setUid("another");

    OwnerReferences.setController(MAPS, again, dependant);

    assertThat(OwnerReferences.of(dependant))
        .singleElement()
        .satisfies(reference -> assertThat(reference.getUid()).isEqualTo("another"))
        .satisfies(reference -> assertThat(reference.getController()).isTrue());
  }

  @Test
  void ownerThatWasMadeAgain_keepsTheControlOfItsEarlierIncarnation_alsoInAnotherVersion() {
    OwnerReferences.setController(MAPS, map("a", "one"), dependant);
    OwnerReferences.add(MAPS, map("a", "two"), dependant);
    V1ConfigMap again = map("a", "one");
    java.util.Objects.requireNonNull(again.getMetadata()).setUid("another");
    ResourceType<V1ConfigMap> later =
        new ResourceType<>("", "v2", "configmaps", "ConfigMap", true, V1ConfigMap.class);

    OwnerReferences.add(later, again, dependant);

    assertThat(OwnerReferences.of(dependant))
        .extracting(V1OwnerReference::getUid)
        .containsExactly("uid-two", "another");
    assertThat(OwnerReferences.controllerOf(dependant).orElseThrow().getUid()).isEqualTo("another");
  }

  @Test
  void namesakeOfAnotherKind_isAnotherOwner() {
    OwnerReferences.setController(MAPS, map("a", "one"), dependant);
    V1Namespace other = new V1Namespace().metadata(new V1ObjectMeta().name("one").uid("u"));

    assertThatThrownBy(() -> OwnerReferences.setController(NAMESPACES, other, dependant))
        .isInstanceOf(AlreadyControlledException.class);
  }

  @Test
  void severalOwners_areKept_andOneOfThemControls() {
    OwnerReferences.add(MAPS, map("a", "one"), dependant);
    OwnerReferences.add(MAPS, map("a", "two"), dependant);
    OwnerReferences.setController(MAPS, map("a", "two"), dependant);

    assertThat(OwnerReferences.of(dependant)).hasSize(2);
    assertThat(OwnerReferences.controllerOf(dependant).orElseThrow().getName()).isEqualTo("two");
  }

  @Test
  void controllerThatIsAddedAsAnOwner_goesOnControlling() {
    OwnerReferences.setController(MAPS, map("a", "one"), dependant);

    OwnerReferences.add(MAPS, map("a", "one"), dependant);

    assertThat(OwnerReferences.of(dependant)).hasSize(1);
    assertThat(OwnerReferences.controllerOf(dependant)).isPresent();
  }

  @Test
  void clusterScopedOwner_mayOwnAnything() {
    V1Namespace owner = new V1Namespace().metadata(new V1ObjectMeta().name("o").uid("u"));

    OwnerReferences.setController(NAMESPACES, owner, dependant);

    assertThat(OwnerReferences.controllerOf(dependant).orElseThrow().getKind())
        .isEqualTo("Namespace");
  }

  /** As the supplier of {@code createOrPatch} returns it. */
  @Test
  void namespacedOwner_ownsANewObject_withoutNameAndNamespace() {
    V1ConfigMap fresh = new V1ConfigMap().metadata(new V1ObjectMeta());
    OwnerReferences.setController(MAPS, map("a", "owner"), fresh);
    assertThat(OwnerReferences.of(fresh)).hasSize(1);
  }

  @Test
  void namespacedOwner_ownsNeitherAcrossNamespaces_norClusterScopedObjects() {
    V1ClusterRole role = new V1ClusterRole().metadata(new V1ObjectMeta().name("role"));

    assertThatThrownBy(() -> OwnerReferences.add(MAPS, map("b", "one"), dependant))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"dependant\" in \"a\"");
    assertThatThrownBy(() -> OwnerReferences.setController(MAPS, map("b", "one"), role))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"role\", which is in no namespace");
  }

  @Test
  void ownerThatIsNotStored_isRefused() {
    V1ConfigMap owner = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("a").name("new"));

    assertThatThrownBy(() -> OwnerReferences.add(MAPS, owner, dependant))
        .hasMessageContaining("no uid");
  }

  @Test
  void owner_isRecognizedByItsUid_andRemovedInAnyIncarnation() {
    V1ConfigMap one = map("a", "one");
    V1ConfigMap two = map("a", "two");
    OwnerReferences.setController(MAPS, one, dependant);
    OwnerReferences.add(MAPS, two, dependant);
    V1ConfigMap again = map("a", "one");
    java.util.Objects.requireNonNull(again.getMetadata()).setUid("another");

    assertThat(OwnerReferences.isOwnedBy(dependant, one)).isTrue();
    assertThat(OwnerReferences.isControlledBy(dependant, one)).isTrue();
    assertThat(OwnerReferences.isOwnedBy(dependant, two)).isTrue();
    assertThat(OwnerReferences.isControlledBy(dependant, two)).isFalse();
    assertThat(OwnerReferences.isOwnedBy(dependant, again)).isFalse();
    assertThat(OwnerReferences.isOwnedBy(dependant, map("a", "three"))).isFalse();

    assertThat(OwnerReferences.remove(MAPS, again, dependant)).isTrue();
    assertThat(OwnerReferences.remove(MAPS, again, dependant)).isFalse();
    assertThat(OwnerReferences.of(dependant))
        .singleElement()
        .extracting(V1OwnerReference::getName)
        .isEqualTo("two");
  }

  @Test
  void tree_getsTheSameReferenceAsAnObject() {
    OwnerReferences.setController(MAPS, map("a", "one"), dependant);
    JsonObject tree = Json.encode(map("a", "dependant"));

    OwnerReferences.setController(MAPS, map("a", "one"), tree);

    assertThat(tree).isEqualTo(Json.encode(dependant));
    assertThatThrownBy(() -> OwnerReferences.setController(MAPS, map("a", "two"), tree))
        .isInstanceOf(AlreadyControlledException.class);
  }
}
