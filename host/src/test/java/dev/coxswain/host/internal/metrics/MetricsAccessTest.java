// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.metrics.MetricsAccess.Decision;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricsAccessTest {

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http = HttpClient.newHttpClient();
  private final VirtualTime time = new VirtualTime();
  private final Map<String, Decision> decisions = new ConcurrentHashMap<>();
  private final AtomicInteger reviews = new AtomicInteger();
  private final MetricsAccess access =
      new MetricsAccess(vertx, this::review, request -> request.response().end("metrics"), time);
  private final HttpServer server =
      vertx.createHttpServer().requestHandler(access).listen(0, "127.0.0.1").await();
  private volatile boolean down;

  @AfterEach
  void close() {
    http.close();
    vertx.close().await();
  }

  private Decision review(String token) throws IOException {
    reviews.incrementAndGet();
    if (down) {
      throw new IOException("no API server");
    }
    return decisions.getOrDefault(token, Decision.UNAUTHENTICATED);
  }

  private int scrape(String token) throws Exception {
    return scrape(Map.of("Authorization", "Bearer " + token)).statusCode();
  }

  private HttpResponse<String> scrape(Map<String, String> headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort() + "/metrics"));
    headers.forEach(request::header);
    return http.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void withoutAToken_noReviewIsMade() throws Exception {
    HttpResponse<String> none = scrape(Map.of());
    assertThat(none.statusCode()).isEqualTo(401);
    assertThat(none.headers().firstValue("WWW-Authenticate")).hasValue("Bearer realm=\"coxswain\"");
    assertThat(scrape(Map.of("Authorization", "Basic eDp5")).statusCode()).isEqualTo(401);
    assertThat(reviews).hasValue(0);
  }

  @Test
  void anAllowedScraper_isReviewedOnceAMinute() throws Exception {
    decisions.put("good", Decision.ALLOWED);
    for (int i = 0; i < 5; i++) {
      assertThat(scrape("good")).isEqualTo(200);
      time.advance(Duration.ofSeconds(10));
    }
    assertThat(reviews).hasValue(1);
    decisions.put("good", Decision.FORBIDDEN);
    time.advance(Duration.ofSeconds(10));
    assertThat(scrape("good")).isEqualTo(403);
    assertThat(reviews).hasValue(2);
  }

  @Test
  void aRefusedScraper_isAllowedSoonAfterItGotTheRight() throws Exception {
    assertThat(scrape("new")).isEqualTo(401);
    decisions.put("new", Decision.ALLOWED);
    assertThat(scrape("new")).isEqualTo(401);
    time.advance(MetricsAccess.REFUSED);
    assertThat(scrape("new")).isEqualTo(200);
  }

  @Test
  void withoutTheApiServer_thoseAllowedBeforeAreServed_forTenMinutes() throws Exception {
    decisions.put("good", Decision.ALLOWED);
    decisions.put("bad", Decision.FORBIDDEN);
    assertThat(scrape("good")).isEqualTo(200);
    assertThat(scrape("bad")).isEqualTo(403);
    down = true;
    time.advance(Duration.ofMinutes(9));
    assertThat(scrape("good")).isEqualTo(200);
    assertThat(scrape("bad")).isEqualTo(503);
    assertThat(scrape("other")).isEqualTo(503);
    time.advance(Duration.ofMinutes(1));
    assertThat(scrape("good")).isEqualTo(503);
    down = false;
    assertThat(scrape("good")).isEqualTo(200);
  }

  @Test
  void manyTokens_doNotBecomeManyReviews_andDoNotDisturbAKnownScraper() throws Exception {
    decisions.put("good", Decision.ALLOWED);
    assertThat(scrape("good")).isEqualTo(200);
    for (int i = 0; i < 50; i++) {
      assertThat(scrape("guess-" + i)).isIn(401, 503);
    }
    assertThat(reviews).hasValue(MetricsAccess.REVIEWS_PER_SECOND);
    assertThat(scrape("good")).isEqualTo(200);
    for (int second = 0; second < 30; second++) {
      time.advance(Duration.ofSeconds(1));
      for (int i = 0; i < MetricsAccess.REVIEWS_PER_SECOND; i++) {
        assertThat(scrape("guess-" + second + "-" + i)).isEqualTo(401);
      }
    }
    int before = reviews.get();
    assertThat(before).isGreaterThan(MetricsAccess.MAX_KNOWN);
    assertThat(scrape("good")).isEqualTo(200);
    assertThat(reviews).as("its decision is still kept").hasValue(before);
  }
}
