// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.testing.CannedServer;
import io.kubernetes.client.openapi.ApiClient;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Successful responses of something between this client and the API server. */
class UnexpectedBodyTest {

  private static final String PATH = "/api/v1/namespaces/a/configmaps";

  private CannedServer server;
  private ApiTransport transport;
  private volatile String body = "";

  @BeforeEach
  void start() {
    server = new CannedServer(_ -> new CannedServer.Answer(200, body));
    transport =
        new ApiTransport(new ApiClient().setBasePath(server.url()), KubernetesOptions.DEFAULT);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** A renewed Lease or a stored object would have been assumed. */
  @ParameterizedTest
  @ValueSource(strings = {"", "null", "[]", "{}", "7", "<html>", "{\"error\":\"no upstream\"}"})
  void whatIsNoObjectOfAnApiServer_isNoAnswer(String sent) {
    body = sent;
    JsonObject object = new JsonObject();
    List<ThrowingCallable> requests =
        List.of(
            () -> transport.get(PATH + "/x", Map.of()),
            () -> transport.write("POST", PATH, Map.of(), object, ApiTransport.JSON),
            () -> transport.write("PUT", PATH + "/x", Map.of(), object, ApiTransport.JSON),
            () -> transport.write("DELETE", PATH + "/x", Map.of(), null, ApiTransport.JSON),
            () -> transport.page(PATH, Map.of(), _ -> {}));
    for (ThrowingCallable request : requests) {
      assertThatThrownBy(request)
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue())
          .hasMessageContaining("got no usable answer");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"kind\":\"Status\",\"status\":\"Success\"}", "{\"gitVersion\":\"v1\"}"})
  void objects_andTheVersionOfTheServer_areAnswers(String sent) {
    body = sent;
    assertThat(transport.get("/version", Map.of())).hasToString(sent);
  }
}
