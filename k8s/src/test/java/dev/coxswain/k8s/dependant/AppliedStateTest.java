// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1ServiceStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What was applied is recognized in an object exactly; what cannot be compared is different. */
class AppliedStateTest {

  private static final Request KEY = Request.of("default", "shop");
  private static final ResourceType<V1ConfigMap> OWNER = ResourceType.of(V1ConfigMap.class);

  private static V1ConfigMap owner() {
    return new V1ConfigMap()
        .metadata(new V1ObjectMeta().namespace("default").name("owner").uid("u1"));
  }

  private static V1Service service() {
    return new V1Service()
        .spec(
            new V1ServiceSpec()
                .selector(Map.of("app", "shop"))
                .addPortsItem(new V1ServicePort().port(80).targetPort(new IntOrString(8080))));
  }

  private static AppliedState state(V1Service desired) {
    return AppliedState.of(desired, KEY, OWNER, owner(), "");
  }

  private static V1Service applied() {
    return Json.decode(state(service()).tree(), V1Service.class);
  }

  private static boolean isInAfter(Consumer<V1Service> change) {
    V1Service observed = applied();
    change.accept(observed);
    return state(service()).isIn(observed);
  }

  private static V1ServiceSpec spec(V1Service service) {
    return Objects.requireNonNull(service.getSpec());
  }

  private static V1ObjectMeta metadata(V1Service service) {
    return Objects.requireNonNull(service.getMetadata());
  }

  @Test
  void whatWasApplied_isComplete() {
    V1ObjectMeta metadata = metadata(applied());
    assertThat(metadata.getNamespace() + "/" + metadata.getName()).isEqualTo("default/shop");
    assertThat(metadata.getOwnerReferences())
        .singleElement()
        .satisfies(reference -> assertThat(reference.getUid()).isEqualTo("u1"));
    assertThat(metadata.getAnnotations()).containsOnlyKeys(AppliedState.DIGEST);
  }

  @Test
  void fieldsOfOthers_andDefaults_makeNoDifference() {
    assertThat(isInAfter(_ -> {})).isTrue();
    assertThat(
            isInAfter(service -> {
              metadata(service).putLabelsItem("team", "web");
              metadata(service).putAnnotationsItem("note", "mine");
              metadata(service).resourceVersion("7").uid("u2");
              spec(service).clusterIP("10.0.0.1");
              Objects.requireNonNull(spec(service).getPorts()).getFirst().protocol("TCP");
            }))
        .isTrue();
  }

  @Test
  void aChangedField_isADifference() {
    assertThat(
            isInAfter(service ->
                Objects.requireNonNull(spec(service).getPorts())
                    .getFirst()
                    .targetPort(new IntOrString(9090))))
        .isFalse();
    assertThat(isInAfter(service -> spec(service).selector(Map.of("app", "other")))).isFalse();
    assertThat(isInAfter(service -> service.setSpec(null))).isFalse();
    assertThat(isInAfter(service -> metadata(service).setOwnerReferences(List.of()))).isFalse();
    assertThat(isInAfter(service -> metadata(service).setAnnotations(Map.of()))).isFalse();
  }

  @Test
  void aFurtherItemOfAListOrMemberOfASelector_isADifference() {
    assertThat(isInAfter(service -> spec(service).addPortsItem(new V1ServicePort().port(81))))
        .isFalse();
    assertThat(
            isInAfter(service -> spec(service).selector(Map.of("app", "shop", "track", "canary"))))
        .isFalse();
  }

  @Test
  void aFieldThatIsNoLongerDesired_isADifference() {
    V1Service smaller = service();
    spec(smaller).setSelector(null);

    assertThat(state(smaller).isIn(applied())).isFalse();
  }

  @Test
  void anotherOwnerOfTheSameName_isADifference() {
    V1ConfigMap recreated = owner();
    Objects.requireNonNull(recreated.getMetadata()).setUid("u9");

    assertThat(AppliedState.of(service(), KEY, OWNER, recreated, "").isIn(applied())).isFalse();
  }

  @Test
  void theOrderOfMembers_isNoDifference() {
    Map<String, String> one = new LinkedHashMap<>();
    one.put("a", "1");
    one.put("b", "2");
    Map<String, String> other = new LinkedHashMap<>();
    other.put("b", "2");
    other.put("a", "1");
    V1ConfigMap observed =
        Json.decode(
            AppliedState.of(new V1ConfigMap().data(one), KEY, OWNER, owner(), "").tree(),
            V1ConfigMap.class);

    assertThat(
            AppliedState.of(new V1ConfigMap().data(other), KEY, OWNER, owner(), "").isIn(observed))
        .isTrue();
  }

  @Test
  void furtherOwners_makeNoDifference() {
    assertThat(
            isInAfter(service -> {
              List<V1OwnerReference> owners = new ArrayList<>();
              owners.add(new V1OwnerReference().kind("Team").name("web").uid("t1"));
              owners.addAll(metadata(service).getOwnerReferences());
              metadata(service).setOwnerReferences(owners);
            }))
        .isTrue();
  }

  @Test
  void anotherFormOfAQuantity_isNoDifference() {
    V1ResourceQuota desired =
        new V1ResourceQuota()
            .spec(new V1ResourceQuotaSpec().putHardItem("cpu", new Quantity("0.5")));
    AppliedState state = AppliedState.of(desired, KEY, OWNER, owner(), "");
    V1ResourceQuota observed = Json.decode(state.tree(), V1ResourceQuota.class);
    Objects.requireNonNull(observed.getSpec()).putHardItem("cpu", new Quantity("500m"));

    assertThat(state.isIn(observed)).isTrue();
  }

  @Test
  void anObjectAsStored_orWithAStatus_isRefused() {
    V1Service stored = service().metadata(new V1ObjectMeta().resourceVersion("7"));
    assertThatThrownBy(() -> state(stored))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is one as stored");

    V1Service reported = service().status(new V1ServiceStatus());
    assertThatThrownBy(() -> state(reported))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a status");
  }

  @Test
  void aDesiredObjectWithAnotherKey_isRefused() {
    V1Service other = service().metadata(new V1ObjectMeta().name("other"));

    assertThatThrownBy(() -> state(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"other\"")
        .hasMessageContaining("\"shop\"");
  }
}
