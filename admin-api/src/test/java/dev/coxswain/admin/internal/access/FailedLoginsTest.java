// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.FuzzValues;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.AdminTelemetry;
import dev.coxswain.admin.spi.AdminTelemetry.FailedLogin;
import dev.coxswain.admin.spi.AuditSink;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {

  private final Reviewers reviewers = new Reviewers();
  private final List<AuditSink.Line> lines = new CopyOnWriteArrayList<>();
  private final List<FailedLogin> counted = new CopyOnWriteArrayList<>();
  private final AdminPorts ports =
      new AdminPorts(
          line -> {
            lines.add(line);
            return Future.succeededFuture();
          },
          new AdminTelemetry() {
            @Override
            public void loginFailed(FailedLogin why) {
              counted.add(why);
            }
          });

  private Api api(AccessControl access) {
    return new Api("coxswain-0", access, reviewers, options -> options, ports, Intervals.DEFAULT);
  }

  private static int status(Api api, String authorization) {
    return api.send(api.request("/api/v1").header("Authorization", authorization)).status();
  }

  private Map<FailedLogin, Long> counts() {
    Map<FailedLogin, Long> counts = new EnumMap<>(FailedLogin.class);
    counted.forEach(why -> counts.merge(why, 1L, Long::sum));
    return counts;
  }

  @Test
  void refusedTokens_areCounted_andAuditedOnceAMinuteWithTheirNumber() {
    try (Api api = api(reviewers.control(ReviewLimits.DEFAULT))) {
      api.get("/api/v1").problem(401, "unauthenticated");
      assertThat(lines).isEmpty(); // nobody has tried anything
      for (int i = 0; i < 5; i++) {
        status(api, "Bearer bad-" + i);
      }
      status(api, "Basic eDp5");
      assertThat(lines).hasSize(1);
      assertThat(lines.getFirst().message()).isEqualTo("Admin login refused");
      assertThat(lines.getFirst().fields())
          .containsEntry("action", "login")
          .containsEntry("result", "unauthenticated")
          .containsEntry("change", "{\"refused\":1}")
          .extractingByKey("remote")
          .asString()
          .startsWith("127.0.0.1:");
      reviewers.pass(Duration.ofMinutes(1));
      status(api, "Bearer bad-again");
      assertThat(lines).hasSize(2);
      assertThat(lines.getLast().fields()).containsEntry("change", "{\"refused\":6}");
      assertThat(counts())
          .containsEntry(FailedLogin.MISSING, 1L)
          .containsEntry(FailedLogin.REJECTED, 6L)
          .containsEntry(FailedLogin.MALFORMED, 1L);
      var audit = api.send(api.request("/api/v1/audit").header("Authorization", "Bearer good-a"));
      assertThat(audit.ok(200).path("items")).hasSize(2);
    }
  }

  /** Whatever is sent instead of a token, wherever: the answer, the figures and the log are bounded. */
  @Test
  void anyCredential_onAnyRoute_isRefusedCountedAndAuditedOnceAMinute() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    try (Api api = api(reviewers.control(ReviewLimits.DEFAULT))) {
      FuzzValues values = new FuzzValues(new JsonObject(), random);
      List<String> routes = new ArrayList<>();
      api.send(api.request("/api/v1").header("Authorization", "Bearer good-a"))
          .ok(200)
          .path("routes")
          .forEach(route ->
              routes.add(route.path("method").asText() + " " + route.path("path").asText()));
      int sent = 1000;
      for (int i = 0; i < sent; i++) {
        String[] route = values.oneOf(routes).split(" ");
        String token = values.nasty().replaceAll("[^\\x21-\\x7e]", "");
        HttpRequest.Builder request =
            api.request(route[1].replaceAll("[{][a-z]+[}]", "demo"))
                .method(route[0], BodyPublishers.ofString("{\"reason\":\"x\"}"))
                .header("Content-Type", "application/json");
        if (values.chance(0.9)) {
          request.header(
              "Authorization", values.oneOf(List.of("Bearer ", "Basic ", "bearer", "")) + token);
        }
        assertThat(api.send(request).status())
            .as("seed %s, request %s, %s with <%s>", seed, i, String.join(" ", route), token)
            .isIn(401, 429);
      }
      assertThat(counted.size()).as("seed %s: counted once each", seed).isEqualTo(sent);
      assertThat(lines).as("seed %s", seed).hasSize(1);
      assertThat(api.demo.pause).isNull();
      assertThat(api.demo.changes).hasValue(0);
      assertThat(status(api, "Bearer good-a")).isEqualTo(200);
    }
  }

  @Test
  void withTokensFromAFile_anAddressIsLimitedByItsRefusedTokens_andGoodOnesAreNever() {
    AccessControl local =
        AccessControl.local(
            "test",
            "",
            new AccessControl.Ports(
                token ->
                    Future.succeededFuture(
                        token.equals("good")
                            ? Authentication.accepted(Principal.of("alice"))
                            : Authentication.rejected()),
                reviewers));
    try (Api api = api(local)) {
      int limited = 0;
      for (int i = 0; i < 60; i++) {
        limited += status(api, "Bearer bad-" + i) == 429 ? 1 : 0;
      }
      assertThat(limited).isEqualTo(40);
      assertThat(status(api, "Bearer good")).isEqualTo(200);
    }
  }
}
