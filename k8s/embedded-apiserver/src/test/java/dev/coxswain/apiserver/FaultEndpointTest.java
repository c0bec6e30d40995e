// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults over HTTP: injected, listed and cleared, also while the world is paused. */
final class FaultEndpointTest {
  private static final String FAULTS = "/coxswain/faults";
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private EmbeddedApiServer server;
  private Http http;

  @BeforeEach
  void start() {
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withFaultEndpoint(true));
    http = new Http(server);
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  private JsonNode inject(String fault) {
    Http.Answer answer = http.post(FAULTS, json(fault));
    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(201);
    return answer.body();
  }

  @Test
  void aFault_isInjectedListedAndCleared() {
    JsonNode fault =
        inject(
            "{'kind':'fail','status':429,'retryAfter':'2s','verbs':['list'],"
                + "'resources':['configmaps'],'count':5,'duration':'1h'}");
    assertThat(fault.path("active").asBoolean()).isTrue();
    Http.Answer failed = http.get(MAPS);
    assertThat(failed.status()).isEqualTo(429);
    assertThat(failed.raw().headers().firstValue("Retry-After")).contains("2");
    JsonNode listed = http.get(FAULTS).body().at("/faults/0");
    assertThat(listed.path("id")).isEqualTo(fault.path("id"));
    assertThat(listed.path("applied").asInt()).isEqualTo(1);
    assertThat(listed.path("duration").asText()).isEqualTo("3600s");
    String one = FAULTS + "/" + fault.path("id").asText();
    assertThat(http.get(one).body().path("kind").asText()).isEqualTo("fail");
    assertThat(http.delete(one).body().path("cleared").asInt()).isEqualTo(1);
    assertThat(http.delete(one).status()).isEqualTo(404);
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'kind':'closeWatches','resources':['pods']}",
        "{'kind':'silenceWatches','count':3}",
        "{'kind':'slowWatches','bytesPerSecond':100,'duration':'10s'}",
        "{'kind':'dropEvents','share':0.25,'seed':7}",
        "{'kind':'compactHistory','openWatches':'expire'}",
        "{'kind':'compactHistory','answer':'status','count':1}",
        "{'kind':'fail','status':503,'share':0.5,'seed':1}",
        "{'kind':'latency','delay':'5ms','path':'/apis/'}",
        "{'kind':'refuseConnections','mode':'reset','count':1}",
        "{'kind':'unknownFields'}",
        "{'kind':'pause','duration':'20s'}"
      })
  void everyKind_isTakenAndShownAsGiven(String text) throws Exception {
    JsonNode given = new ObjectMapper().readTree(json(text));
    JsonNode shown = inject(text);
    given
        .properties()
        .forEach(field -> assertThat(shown.get(field.getKey())).isEqualTo(field.getValue()));
    assertThat(http.delete(FAULTS).status()).isEqualTo(200);
    assertThat(http.get(FAULTS).body().path("faults")).isEmpty();
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @Test
  void aPausedWorld_canBeListedAndCleared() throws Exception {
    inject("{'kind':'pause'}");
    CompletableFuture<Integer> held = CompletableFuture.supplyAsync(() -> http.get(MAPS).status());
    assertThat(http.get(FAULTS).body().at("/faults/0/kind").asText()).isEqualTo("pause");
    assertThat(held).isNotDone();
    assertThat(http.delete(FAULTS).body().path("cleared").asInt()).isEqualTo(1);
    assertThat(held.get(60, TimeUnit.SECONDS)).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|kind",
        "{'kind':'flood'}|kind",
        "{'kind':7}|kind",
        "{'kind':'fail'}|status",
        "{'kind':'fail','status':200}|status",
        "{'kind':'fail','status':'x'}|status",
        "{'kind':'fail','status':500,'share':2}|share",
        "{'kind':'fail','status':500,'share':'all'}|share",
        "{'kind':'fail','status':500,'retryAfter':'1500ms'}|retryAfter",
        "{'kind':'fail','status':500,'count':-1}|count",
        "{'kind':'fail','status':500,'count':1.5}|count",
        "{'kind':'fail','status':500,'duration':10}|duration",
        "{'kind':'fail','status':500,'duration':'9999h'}|duration",
        "{'kind':'fail','status':500,'verbs':'list'}|verbs",
        "{'kind':'fail','status':500,'verbs':[1]}|verbs",
        "{'kind':'fail','status':500,'colour':'red'}|colour",
        "{'kind':'pause','share':0.5}|share",
        "{'kind':'pause','count':2}|count",
        "{'kind':'closeWatches','path':'/x'}|path",
        "{'kind':'unknownFields','resources':['pods']}|resources",
        "{'kind':'slowWatches'}|bytesPerSecond",
        "{'kind':'latency'}|delay",
        "{'kind':'compactHistory','answer':'maybe'}|answer",
        "{'kind':'refuseConnections'}|duration",
        "{'kind':'refuseConnections','mode':'half','duration':'1s'}|mode",
        "[1]|body",
        "{|body"
      })
  void aMistake_isAnsweredWith400NamingTheField(String fault, String field) {
    Http.Answer answer = http.post(FAULTS, json(fault));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body().path("field").asText()).isEqualTo(field);
    assertThat(answer.body().path("message").asText()).startsWith(field + " ");
    assertThat(http.get(FAULTS).body().path("faults")).isEmpty();
  }

  @Test
  void anotherContentType_isRefused() {
    assertThat(http.call("POST", FAULTS, "{}", "text/plain").status()).isEqualTo(415);
    assertThat(http.call("PUT", FAULTS, "{}", "application/json").status()).isEqualTo(405);
  }

  @Test
  void withoutTheOption_thereIsNoEndpoint() {
    try (EmbeddedApiServer plain =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Http client = new Http(plain)) {
      assertThat(client.get(FAULTS).status()).isEqualTo(404);
      assertThat(client.post(FAULTS, json("{'kind':'pause'}")).status()).isEqualTo(404);
      assertThat(plain.faults().active()).isEmpty();
    }
  }

  @Test
  void withTokens_onlyThoseWhoMayAreHeard() {
    var token = new EmbeddedApiServerOptions.Token("s", "someone", List.of());
    try (EmbeddedApiServer guarded =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults()
                    .withFaultEndpoint(true)
                    .withTokens(List.of(token)));
        Http client = new Http(guarded)) {
      assertThat(client.get(FAULTS).status()).isEqualTo(403);
    }
  }
}
