// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyTest {

  private static final String PAUSE = Api.DEMO + "/pause";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"reason\":\"x\"} {}",
        "{\"reason\":\"x\",}",
        "{reason:\"x\"}",
        "{\"reason\":\"x\",\"reason\":\"y\"}",
        "{\"reason\":\"x\"} trailing",
        "{\"reason\":NaN}",
        "// comment\n{\"reason\":\"x\"}"
      })
  void whatIsNotOneWellFormedJsonValue_is400(String body) {
    api.post(PAUSE, body).problem(400, "invalid-json");
    assertThat(api.demo.pause).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "[]", "null", "\"reason\"", "1"})
  void aBodyThatIsNoObject_is400(String body) {
    api.post(PAUSE, body).problem(400, "invalid-body");
  }

  @Test
  void deepJson_isRefused() {
    String deep = "{\"reason\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";
    assertThat(api.post(PAUSE, deep).problem(400, "invalid-json").path("detail").asText())
        .contains("16 levels");
  }

  @Test
  void brokenUtf8_isRefused() {
    byte[] body = "{\"reason\":\"ab\"}".getBytes(StandardCharsets.UTF_8);
    body[12] = (byte) 0xC3;
    assertThat(
            api.send(
                    api.request(PAUSE)
                        .POST(BodyPublishers.ofByteArray(body))
                        .header("Content-Type", "application/json"))
                .status())
        .isEqualTo(400);
  }

  @Test
  void allFaults_areToldAtOnceWithTheirPointers() {
    var problem =
        api.post(
                Api.DEMO + "/operations",
                """
                {"action":"purge","selector":{"phase":["ready","asleep"],"minFailures":"5",
                 "colour":"red"},"reason":7,"nonsense":1,"a/b~c":2}
                """)
            .problem(400, "invalid-body");
    assertThat(problem.path("errors").findValuesAsText("pointer"))
        .contains(
            "/action",
            "/selector/phase/1",
            "/selector/minFailures",
            "/selector/colour",
            "/reason",
            "/nonsense",
            "/a~1b~0c");
  }

  @Test
  void aThousandFaults_makeAShortAnswer() {
    StringBuilder body = new StringBuilder("{\"reason\":\"x\"");
    for (int i = 0; i < 1000; i++) {
      body.append(",\"f").append(i).append("\":1");
    }
    var problem = api.post(PAUSE, body.append('}').toString()).problem(400, "invalid-body");
    assertThat(problem.path("errors")).hasSize(20);
  }

  @Test
  void reason_isRequiredForEveryChange() {
    String id = api.demo.put("a", "b", dev.coxswain.view.Phase.DELAYED, 1, "e");
    for (List<String> change :
        List.of(
            List.of("POST", Api.DEMO + "/pause", "{}"),
            List.of("POST", Api.DEMO + "/resume", "{}"),
            List.of("PATCH", Api.DEMO, "{\"maxConcurrent\":2}"),
            List.of("POST", Api.DEMO + "/operations", "{\"action\":\"flush\",\"all\":true}"),
            List.of("POST", Api.DEMO + "/items", "{\"name\":\"x\"}"),
            List.of("DELETE", Api.item(id), "{}"),
            List.of("POST", Api.item(id) + "/retry", "{}"),
            List.of("POST", Api.item(id) + "/forget", "{}"),
            List.of("POST", Api.item(id) + "/requeue", "{\"delay\":\"1s\"}"))) {
      var problem =
          api.change(change.get(0), change.get(1), change.get(2)).problem(400, "invalid-body");
      assertThat(problem.path("errors").findValuesAsText("pointer"))
          .as(change.toString())
          .containsExactly("/reason");
    }
    assertThat(api.demo.size()).isEqualTo(1);
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void reason_has1To512CharactersAndSaysSomething() {
    for (String reason : new String[] {"", " ", "x".repeat(513), "a\\nb", "a\\u0000b"}) {
      api.post(PAUSE, "{\"reason\":\"" + reason + "\"}").problem(400, "invalid-body");
    }
    api.post(PAUSE, "{\"reason\":\"" + "x".repeat(512) + "\"}").ok(200);
  }

  @Test
  void aBodyOver64KiB_is413() {
    String big = "{\"reason\":\"" + "x".repeat(64 * 1024) + "\"}";
    api.post(PAUSE, big).problem(413, "body-too-large");
    var streamed =
        BodyPublishers.fromPublisher(BodyPublishers.ofString(big)); // unknown length: chunked
    api.send(api.request(PAUSE).POST(streamed).header("Content-Type", "application/json"))
        .problem(413, "body-too-large");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void aBodyWithoutEnd_isCutOffAfterTheAnswer() {
    StringBuilder request =
        new StringBuilder(
            "POST "
                + PAUSE
                + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n");
    request.append("11000\r\n").append("x".repeat(0x11000)).append("\r\n");
    assertThat(api.raw(request.toString())).startsWith("HTTP/1.1 413 ");
  }

  @Test
  void expectContinue_isAnswered() {
    String body = "{\"reason\":\"x\"}";
    assertThat(
            api.raw(
                "POST "
                    + PAUSE
                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Expect: 100-continue\r\nConnection: close\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body))
        .startsWith("HTTP/1.1 100 ")
        .contains("HTTP/1.1 200 ");
  }
}
