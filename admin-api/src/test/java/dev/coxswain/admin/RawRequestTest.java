// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no proper client sends, and that two servers in a row might read differently. */
class RawRequestTest {

  private static final String BODY = "{\"reason\":\"x\"}";
  private static final String CHUNKED =
      Integer.toHexString(BODY.length()) + "\r\n" + BODY + "\r\n0\r\n\r\n";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private String post(String headers, String body) {
    return api.raw(
        "POST "
            + Api.DEMO
            + "/pause HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\n"
            + headers
            + "\r\n"
            + body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: abc\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +14\r\n",
        "Content-Length: 14\r\nContent-Length: 15\r\n",
        "Content-Length: 14, 15\r\n",
        "Content-Length: 99999999999999999999\r\n"
      })
  void aContentLengthThatIsNoOneNumber_isRefused(String headers) {
    assertThat(post(headers, BODY)).containsPattern("^HTTP/1.[01] 4(00|13) ");
    assertThat(api.demo.pause).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Transfer-Encoding: chunked\r\nContent-Length: 14\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"
      })
  void aBodyWithTwoLengths_isRefused(String headers) {
    assertThat(post(headers, CHUNKED)).containsPattern("^HTTP/1.[01] 400 ");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void http10WithChunks_isRefused() {
    assertThat(
            api.raw(
                "POST "
                    + Api.DEMO
                    + "/pause HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n"
                    + CHUNKED))
        .containsPattern("^HTTP/1.[01] 400 ");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void aChunkThatLies_isRefused() {
    assertThat(post("Transfer-Encoding: chunked\r\n", "zz\r\n" + BODY + "\r\n0\r\n\r\n"))
        .doesNotContain(" 200 ");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void aSecondRequestBehindARefusedBody_isNotRun() {
    String second =
        "POST "
            + Api.DEMO
            + "/pause HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: "
            + BODY.length()
            + "\r\n\r\n"
            + BODY;
    String first =
        "POST "
            + Api.DEMO
            + "/resume HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
            + "Content-Length: "
            + second.length()
            + "\r\nConnection: close\r\n\r\n";
    assertThat(api.raw(first + second)).startsWith("HTTP/1.1 415 ");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void aWebSocketOrHttp2Upgrade_isNoWayIn() {
    String upgrade =
        """
        GET /api/v1 HTTP/1.1
        Host: localhost
        Connection: Upgrade, HTTP2-Settings
        Upgrade: h2c
        HTTP2-Settings: AAMAAABkAAQAAP__

        GET /nothing HTTP/1.1
        Host: localhost
        Connection: close

        """;
    assertThat(api.raw(upgrade.replace("\n", "\r\n"))).doesNotContain(" 101 ");
    assertThat(api.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).doesNotContain(" 200 ");
  }
}
