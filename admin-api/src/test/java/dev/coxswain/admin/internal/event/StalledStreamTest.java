// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.TestCertificate;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.resource.Dumps;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A connection of HTTP/2 can be busy with other things while nobody reads a dump from it. */
@Timeout(120)
class StalledStreamTest {

  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final int ITEMS = 12_000; // of more than a kilobyte: more than the buffers hold
  private static final Buffer PING = Buffer.buffer("12345678");

  @TempDir private Path folder;

  private static HttpClientResponse get(HttpClient client, Api api, String path, boolean paused) {
    return client
        .request(HttpMethod.GET, api.port, "localhost", Api.DEMO + path)
        .compose(request -> {
          request.putHeader("Accept", Dumps.TYPE);
          Future<HttpClientResponse> answer = request.response();
          return request
              .end()
              .compose(sent -> paused ? answer.onSuccess(HttpClientResponse::pause) : answer);
        })
        .await();
  }

  private static HttpClientOptions trustful() {
    return new HttpClientOptions().setSsl(true).setTrustAll(true).setVerifyHost(false);
  }

  @Test
  void aDumpThatNobodyReads_endsThere_thoughItsConnectionIsAlive() throws Exception {
    ServerCertificate certificate = TestCertificate.make(folder);
    try (Api api =
        new Api(
            AccessControl.open(),
            Clock.system(),
            options -> options.withIdleTimeout(IDLE).withCertificate(certificate))) {
      for (int i = 0; i < ITEMS; i++) {
        api.demo.put("ns", "item-" + i, Phase.DELAYED, 1, "x".repeat(1000));
      }
      HttpClient client =
          api.vertx.createHttpClient(
              trustful().setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2));
      HttpClient other = api.vertx.createHttpClient(trustful());
      HttpClientResponse unread = get(client, api, "/items", true);
      assertThat(unread.version()).isEqualTo(HttpVersion.HTTP_2);
      assertThat(unread.statusCode()).isEqualTo(200);
      HttpClientRequest request = unread.request();
      long pings =
          api.vertx.setPeriodic(IDLE.toMillis() / 5, tick -> request.connection().ping(PING));
      Await.until(() -> get(other, api, "/items?name=nothing", false).statusCode() == 200);
      api.vertx.cancelTimer(pings);
    }
  }
}
