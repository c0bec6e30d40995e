// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.testing.CannedServer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a watch sends and is no event of the resource fails like any other failure of a request. */
class BrokenWatchTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"data\":{x}}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"data\":7}}",
        "{\"type\":\"ERROR\",\"object\":{\"code\":{x}}}",
        "{\"type\":\"GROWN\",\"object\":{\"metadata\":{\"name\":\"a\"}}}",
        "<html>"
      })
  void aBrokenEvent_isAFailureOfTheWatch(String line) {
    try (var server = new CannedServer(_ -> new CannedServer.Answer(200, line + "\n"))) {
      Resource<V1ConfigMap> maps =
          new Resource<>(
              new ApiTransport(
                  new ApiClient().setBasePath(server.url()), KubernetesOptions.DEFAULT),
              ResourceType.of(V1ConfigMap.class));
      try (var watch = maps.watch(ListOptions.ALL, "")) {
        assertThatThrownBy(watch::next).isInstanceOf(ApiStatusException.class);
      }
    }
  }
}
