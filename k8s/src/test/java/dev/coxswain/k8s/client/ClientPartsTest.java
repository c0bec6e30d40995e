// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.internal.resource.MergePatch;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientPartsTest {

  @Test
  void modelClasses_nameTheirResources() {
    assertThat(ResourceType.of(V1ConfigMap.class).path("a", "x"))
        .isEqualTo("/api/v1/namespaces/a/configmaps/x");
    assertThat(ResourceType.of(V1Ingress.class).path("a"))
        .isEqualTo("/apis/networking.k8s.io/v1/namespaces/a/ingresses");
    assertThat(ResourceType.of(V1NetworkPolicy.class).path(""))
        .isEqualTo("/apis/networking.k8s.io/v1/networkpolicies");
    assertThat(ResourceType.of(V1Endpoints.class).path("")).isEqualTo("/api/v1/endpoints");
    assertThat(ResourceType.of(V1EndpointSlice.class).path(""))
        .isEqualTo("/apis/discovery.k8s.io/v1/endpointslices");
    assertThat(ResourceType.of(V1StorageClass.class).path("", "s"))
        .isEqualTo("/apis/storage.k8s.io/v1/storageclasses/s");
    assertThat(ResourceType.of(V1ClusterRole.class).namespaced()).isFalse();
    assertThat(ResourceType.of(V1CustomResourceDefinition.class).toString())
        .isEqualTo("customresourcedefinitions.apiextensions.k8s.io");
    assertThat(ResourceType.of(V2HorizontalPodAutoscaler.class).apiVersion())
        .isEqualTo("autoscaling/v2");
    assertThat(ResourceType.of(CoreV1Event.class).apiVersion()).isEqualTo("v1");
    assertThat(ResourceType.of(EventsV1Event.class).apiVersion()).isEqualTo("events.k8s.io/v1");
  }

  @Test
  void classThatNamesNoResource_isRefusedWithACure() {
    assertThatThrownBy(() -> ResourceType.of(Unstructured.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("@KubernetesResource");
  }

  @Test
  void namesCannotLeaveTheirPath() {
    ResourceType<V1ConfigMap> type = ResourceType.of(V1ConfigMap.class);

    for (String name : List.of("x/../../secrets", "..")) {
      assertThatThrownBy(() -> type.path("a", name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void theVerbOfARefusal_isThatOfTheServer_asForAnApplyThatCreates() {
    assertThat(
            ErrorHints.on(
                "PATCH",
                "/api/v1/namespaces/shop/secrets/x",
                false,
                403,
                "Forbidden",
                "User \"a\" cannot create resource \"secrets\" in API group \"\" in the namespace \"shop\""))
        .contains("allow the verb \"create\" on \"secrets\"");
  }

  @Test
  void mergePatch_isTheDifference_andNothingWhenThereIsNone() {
    JsonObject before = json("{\"a\":1,\"b\":{\"c\":[1],\"d\":2},\"e\":3}");
    JsonObject after = json("{\"a\":1,\"b\":{\"c\":[1,2],\"d\":2},\"f\":{}}");

    assertThat(MergePatch.diff(before, after).toString())
        .isEqualTo("{\"e\":null,\"b\":{\"c\":[1,2]},\"f\":{}}");
    assertThat(MergePatch.diff(before, before).isEmpty()).isTrue();
  }

  private static JsonObject json(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  @Test
  void retryAfter_isReadInBothForms() {
    Instant now = Instant.parse("2026-11-21T06:00:00Z");

    assertThat(ResponseReader.retryAfter("7", now)).isEqualTo(Duration.ofSeconds(7));
    assertThat(ResponseReader.retryAfter("Sat, 21 Nov 2026 06:00:09 GMT", now))
        .isEqualTo(Duration.ofSeconds(9));
    assertThat(ResponseReader.retryAfter("Sat, 21 Nov 2026 05:00:00 GMT", now))
        .isEqualTo(Duration.ZERO);
    assertThat(ResponseReader.retryAfter("soon", now)).isNull();
    assertThat(ResponseReader.retryAfter(null, now)).isNull();
  }

  @Test
  void optionsThatMakeNoSense_areRefused() {
    assertThatThrownBy(() -> KubernetesOptions.DEFAULT.withPageSize(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> KubernetesOptions.DEFAULT.withCallTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> KubernetesOptions.DEFAULT.withUserAgent(" "))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
