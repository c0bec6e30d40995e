// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestAdmissionTest {

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private String rawGet(String target, String headers) {
    return api.raw("GET " + target + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost", "LOCALHOST:8090", "127.0.0.1", "127.8.9.1:1", "[::1]", "[::1]:8090"})
  void aLoopbackHostHeader_isLetIn(String host) {
    assertThat(rawGet("/api/v1", "Host: " + host + "\r\n")).startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8090",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "[::2]",
        "0.0.0.0"
      })
  void anotherHostHeader_isRefused_soThatDnsRebindingFails(String host) {
    assertThat(rawGet("/api/v1", "Host: " + host + "\r\n"))
        .startsWith("HTTP/1.1 421 ")
        .contains("misdirected-request");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:8090:1", "localhost@evil.example", "localhost:", "[::1"})
  void aMalformedHostHeader_isRefused(String host) {
    assertThat(rawGet("/api/v1", "Host: " + host + "\r\n"))
        .containsPattern("^HTTP/1.1 4(00|21) ")
        .contains("application/problem+json");
  }

  @Test
  void noHost_orTwoHosts_areRefused() {
    assertThat(rawGet("/api/v1", "")).startsWith("HTTP/1.1 400 ");
    assertThat(rawGet("/api/v1", "Host: localhost\r\nHost: evil.example\r\n"))
        .startsWith("HTTP/1.1 400 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/controllers/a%2Fb",
        "/api/v1/controllers/a%2fb",
        "/api/v1/controllers/demo/items/YS9i%2Fexplain",
        "/api/v1/controllers/..%2Fx",
        "/api/v1/%2e%2e/v1",
        "/api/v1/../v1",
        "/api/v1/./controllers",
        "/api//v1",
        "//api/v1",
        "/api/v1/controllers/a;b",
        "/api/v1/controllers/a%3Bb",
        "/api/v1/controllers/a%5Cb",
        "/api/v1/controllers/a%00",
        "/api/v1/controllers/a%0a",
        "/api/v1/controllers/%2",
        "/api/v1/controllers/%zz",
        "/api/v1/controllers/%252F",
        "http://localhost/api/v1"
      })
  void aPathThatAProxyMightReadDifferently_isRefused(String target) {
    assertThat(rawGet(target, "Host: localhost\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("application/problem+json");
  }

  @Test
  void everyAnswer_hasTheSecurityHeaders() {
    for (var answer :
        new Api.Answer[] {
          api.get("/api/v1"), api.get("/nothing"), api.post(Api.DEMO + "/pause", "{")
        }) {
      assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
      assertThat(answer.header("Content-Security-Policy"))
          .isEqualTo("default-src 'none'; frame-ancestors 'none'");
      assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
    }
  }

  @Test
  void aGoodRequestId_isKept_andAnotherIsReplaced() {
    assertThat(
            api.send(api.request("/api/v1").header("X-Request-Id", "a.B_9-"))
                .header("X-Request-Id"))
        .isEqualTo("a.B_9-");
    for (String bad : new String[] {"a b", "x".repeat(65), "<script>"}) {
      assertThat(
              api.send(api.request("/api/v1").header("X-Request-Id", bad)).header("X-Request-Id"))
          .matches("[0-9a-f]{16}");
    }
  }

  @Test
  void accept_mustAllowJson() {
    for (String good : new String[] {"application/json", "*/*", "text/html, application/*;q=0.8"}) {
      assertThat(api.send(api.request("/api/v1").header("Accept", good)).status()).isEqualTo(200);
    }
    for (String bad : new String[] {"text/html", "application/xml", "application/json;q=0"}) {
      api.send(api.request("/api/v1").header("Accept", bad)).problem(406, "not-acceptable");
    }
  }

  @Test
  void tooLongRequestLine_is414_andTooLongHeaders_are431() {
    assertThat(rawGet("/api/v1?" + "a".repeat(5000), "Host: localhost\r\n"))
        .contains(" 414 ")
        .contains("uri-too-long");
    assertThat(rawGet("/api/v1", "Host: localhost\r\nX-Big: " + "a".repeat(9000) + "\r\n"))
        .contains(" 431 ")
        .contains("headers-too-large");
  }

  @Test
  void nonsense_is400() {
    assertThat(api.raw("\u0000\u0001nonsense\r\n\r\n")).contains("400").contains("malformed");
  }
}
