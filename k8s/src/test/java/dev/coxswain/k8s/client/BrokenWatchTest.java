// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
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
  void aBrokenEvent_isAFailureOfTheWatch(String line) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = (line + "\n").getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      ApiClient client =
          new ApiClient().setBasePath("http://127.0.0.1:" + server.getAddress().getPort());
      Resource<V1ConfigMap> maps =
          new Resource<>(
              new ApiTransport(client, KubernetesOptions.DEFAULT),
              ResourceType.of(V1ConfigMap.class));
      try (var watch = maps.watch(ListOptions.ALL, "")) {
        assertThatThrownBy(watch::next).isInstanceOf(ApiStatusException.class);
      }
    } finally {
      server.stop(0);
    }
  }
}
