// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Authenticator;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.internal.event.EventFeed;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.VirtualTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What replicas ask a replica for has limits of its own: each caller's, and those of all. */
@Timeout(120)
class PeerLimitsTest {

  private static final int REPLICAS = 8;
  private static final String EVENTS = "/events?topics=controllers";

  private final Api api = new Api(named(), Clock.system(), options -> options);
  private final List<InputStream> open = new ArrayList<>();

  PeerLimitsTest() {
    for (int i = 0; i < REPLICAS; i++) {
      api.directory.replicas.add(
          new ReplicaInfo(
              "coxswain-" + i, "coxswain-" + i + "_1", i, Instant.EPOCH, "5.7-1", true, Map.of()));
    }
  }

  /** A token is the name of its caller. */
  private static AccessControl named() {
    Authenticator any =
        token ->
            io.vertx.core.Future.succeededFuture(
                new Authentication.Accepted(Principal.of(token), Duration.ofHours(1)));
    return AccessControl.local(
        "test",
        "ask the test",
        new AccessControl.Ports(
            any, (caller, wanted) -> io.vertx.core.Future.succeededFuture(true)));
  }

  @AfterEach
  void close() throws IOException {
    for (InputStream stream : open) {
      stream.close();
    }
    api.close();
  }

  private HttpRequest.Builder as(int caller, String path) {
    return api.request(path).header("Authorization", "Bearer caller-" + caller);
  }

  /** Asks as another replica does on behalf of a caller; what is answered stays open. */
  private int events(int caller) {
    HttpResponse<InputStream> answer =
        api.open(
            as(caller, ApiPaths.PEER_ROOT + EVENTS)
                .header("Accept", "text/event-stream")
                .header(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION));
    open.add(answer.body());
    return answer.statusCode();
  }

  @Test
  void streamsForOtherReplicas_areSoManyForACaller_andSoManyInAll() throws IOException {
    int each = EventFeed.MAX_STREAMS_PER_CALLER * (REPLICAS - 1);
    for (int i = 0; i < EventFeed.MAX_PEER_STREAMS; i++) {
      if (i == each) {
        assertThat(events(0)).as("one more of the same caller").isEqualTo(429);
      }
      assertThat(events(i / each)).as("stream " + i).isEqualTo(200);
    }
    assertThat(events(REPLICAS)).as("one more of whomever").isEqualTo(429);
    HttpResponse<InputStream> client = api.open(as(0, ApiPaths.ROOT + EVENTS));
    open.add(client.body());
    assertThat(client.statusCode()).as("a client").isEqualTo(200);
    open.getFirst().close();
    Await.until(() -> events(REPLICAS) == 200);
  }

  /** A header that any client can send. */
  @Test
  void findingOut_hasNoHigherRateThanChanges_andChangesNothing() {
    try (Api slow =
        new Api(
            named(),
            new VirtualTime(),
            options -> options.withChangesPerSecond(3).withReadsPerSecond(1000))) {
      List<Integer> finds = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        finds.add(find(slow, 0, "/controllers/demo/pause"));
      }
      assertThat(finds.subList(0, 6)).containsOnly(200);
      assertThat(finds.subList(6, 20)).containsOnly(429);
      assertThat(slow.demo.pause).isNull();
      assertThat(find(slow, 1, "/replicas/coxswain-0/drain")).isEqualTo(400);
    }
  }

  private static int find(Api api, int caller, String path) {
    HttpRequest.Builder request =
        api.request(ApiPaths.PEER_ROOT + path)
            .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"x\"}"))
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer caller-" + caller)
            .header(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION)
            .header(ApiHeaders.FIND, "1");
    HttpResponse<InputStream> answer = api.open(request);
    try (InputStream body = answer.body()) {
      body.readAllBytes();
      return answer.statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
