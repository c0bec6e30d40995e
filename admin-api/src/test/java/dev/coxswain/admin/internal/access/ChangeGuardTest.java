// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeGuardTest {

  private static final String PAUSE = Api.DEMO + "/pause";
  private static final String BODY = "{\"reason\":\"test\"}";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site", "nonsense"})
  void aCrossSiteRequestOfABrowser_isRefused(String site) {
    api.post(PAUSE, BODY, "Sec-Fetch-Site", site).problem(403, "cross-site-request");
    assertThat(api.demo.pause).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"same-origin", "none"})
  void aRequestOfTheOwnSite_isTaken(String site) {
    api.post(PAUSE, BODY, "Sec-Fetch-Site", site).ok(200);
    assertThat(api.demo.pause).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://evil.example", "null", "https://127.0.0.1:1", "http://localhost"})
  void anotherOrigin_isRefused_whenTheBrowserSendsNoSecFetchSite(String origin) {
    api.post(PAUSE, BODY, "Origin", origin).problem(403, "cross-site-request");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void theOwnOrigin_isTaken() {
    api.post(PAUSE, BODY, "Origin", "http://127.0.0.1:" + api.port).ok(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/merge-patch+json"
      })
  void aChangeThatIsNotJson_is415(String type) {
    api.send(api.request(PAUSE).POST(BodyPublishers.ofString(BODY)).header("Content-Type", type))
        .problem(415, "unsupported-media-type");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void aChangeWithoutAContentType_orEncoded_is415() {
    api.send(api.request(PAUSE).POST(BodyPublishers.ofString(BODY)))
        .problem(415, "unsupported-media-type");
    api.post(PAUSE, BODY, "Content-Encoding", "gzip").problem(415, "unsupported-media-type");
  }

  @Test
  void jsonWithACharset_isTaken() {
    api.send(
            api.request(PAUSE)
                .POST(BodyPublishers.ofString(BODY))
                .header("Content-Type", "Application/JSON; charset=\"UTF-8\""))
        .ok(200);
  }

  @Test
  void ifMatch_isRefusedWhereThereIsNoRevision() {
    api.post(Api.DEMO + "/items", "{\"name\":\"x\",\"reason\":\"x\"}", "If-Match", "\"1\"")
        .problem(400, "invalid-header");
  }
}
