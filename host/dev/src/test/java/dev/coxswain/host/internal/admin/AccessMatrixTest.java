// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ItemId;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every route, requested by every principal, in two namespaces and in all of them, over real HTTP,
 * with the roles of the guide at an API server that reviews tokens and rights.
 */
class AccessMatrixTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> OPERATOR =
      Set.of(
          "get",
          "list",
          "retry",
          "forget",
          "requeue",
          "enqueue",
          "flush",
          "stop",
          "pause",
          "tune",
          "resume",
          "drain",
          "deploy",
          "redeploy");
  private static final List<String> CALLERS =
      List.of("viewer", "operator", "admin", "retrier", "nobody");

  private static EmbeddedApiServer server;
  private static Host host;
  private static String admin;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @BeforeAll
  static void start() throws Exception {
    List<Token> tokens = new ArrayList<>();
    tokens.add(new Token("of-root", "root", List.of("system:masters")));
    tokens.add(Guide.HOST);
    for (String caller : CALLERS) {
      tokens.add(new Token("of-" + caller, caller, List.of(), List.of("coxswain-admin")));
    }
    tokens.add(new Token("for-kubernetes", "admin", List.of()));
    server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults().withTokens(tokens));
    Guide.apply(server);
    for (String role : List.of("viewer", "operator", "admin")) {
      server.apply(binding("ClusterRole", "coxswain-" + role, "", role));
    }
    server.apply(binding("Role", "coxswain-retry-checkout", "payments", "retrier"));
    host =
        new Host(
            ConfigurationLoader.load(
                null,
                Map.of(),
                List.of(
                    "replicaName=test",
                    "admin.port=0",
                    "metrics.port=0",
                    "health.port=0",
                    // The host has no rights on Leases here.
                    "controllers.checkout.ownership=everywhere",
                    "controllers.other.ownership=everywhere")),
            List.of(new Failing("checkout"), new Failing("other")),
            Guide.access(server, Guide.HOST.token()),
            new HostMetrics("test"),
            Clock.system());
    host.start().await();
    host.ready().await();
    admin = host.report().admin();
  }

  @AfterAll
  static void stop() {
    host.stop().await();
    server.close();
    HTTP.close();
  }

  private static String binding(String kind, String role, String namespace, String user) {
    return """
    apiVersion: rbac.authorization.k8s.io/v1
    kind: %sBinding
    metadata: {name: of-%s, namespace: "%s"}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s, name: %s}
    subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: %s}]
    """
        .formatted(kind, user, namespace, kind, role, user)
        .replace(", namespace: \"\"", "");
  }

  /** What the roles of the guide mean, in other words than theirs. */
  private static boolean may(String caller, AccessSample sample) {
    return switch (caller) {
      case "viewer" -> Set.of("get", "list").contains(sample.verb());
      case "operator" -> OPERATOR.contains(sample.verb());
      case "admin" -> true;
      case "retrier" ->
          sample.resource().equals(AccessSample.ITEMS)
              && sample.namespace().equals("payments")
              && sample.name().equals("checkout")
              && Set.of("get", "list", "retry").contains(sample.verb());
      default -> false;
    };
  }

  @Test
  void everyRoute_isForThoseWhoMayAndForNobodyElse() throws Exception {
    for (AccessSample sample : AccessSample.all()) {
      for (String caller : CALLERS) {
        Answer answer = send("of-" + caller, sample);
        String what = caller + " " + sample + " " + answer.status() + " " + answer.body();
        if (may(caller, sample)) {
          assertThat(answer.status()).as(what).isIn(200, 201, 204, 404, 409);
        } else {
          assertThat(answer.status()).as(what).isEqualTo(403);
          JsonNode required = JSON.readTree(answer.body()).get("required");
          assertThat(required.get("verb").asText()).as(what).isEqualTo(sample.verb());
          assertThat(required.get("resource").asText()).as(what).isEqualTo(sample.resource());
          assertThat(required.get("namespace").asText()).as(what).isEqualTo(sample.namespace());
          assertThat(required.get("name").asText()).as(what).isEqualTo(sample.name());
        }
      }
      for (String stranger : List.of("", "for-kubernetes", "of-somebody")) {
        assertThat(send(stranger, sample).status()).as(stranger + sample).isEqualTo(401);
      }
    }
  }

  /** A new route needs an entry here with the roles that may use it. */
  @Test
  void theMatrix_holdsEveryRouteAndEveryVerb() throws Exception {
    Set<String> served = new TreeSet<>();
    Set<String> verbs = new TreeSet<>();
    HttpResponse<String> discovery =
        HTTP.send(request("of-nobody", "").build(), HttpResponse.BodyHandlers.ofString());
    assertThat(discovery.statusCode()).isEqualTo(200);
    for (JsonNode route : JSON.readTree(discovery.body()).get("routes")) {
      String name = route.get("method").asText() + " " + route.get("path").asText().substring(7);
      if (!Set.of("GET ", "GET /openapi.json", "GET /rights")
          .contains(name)) { // enough to be known
        served.add(name);
        for (JsonNode verb : route.get("verbs")) {
          verbs.add(name + " " + route.get("resource").asText() + " " + verb.asText());
        }
      }
    }
    assertThat(new TreeSet<>(AccessSample.all().stream().map(AccessSample::route).toList()))
        .isEqualTo(served);
    assertThat(
            new TreeSet<>(
                AccessSample.all().stream()
                    .map(s -> s.route() + " " + s.resource() + " " + s.verb())
                    .toList()))
        .isEqualTo(verbs);
  }

  /** The one thing that needs no token, on purpose: files without any data. */
  @Test
  void theFilesOfTheDashboard_areForStrangers_andNothingBesideThem() throws Exception {
    for (String caller : List.of("", "of-nobody", "of-somebody")) {
      assertThat(status(caller, "/dashboard/")).isEqualTo(200);
      assertThat(status(caller, "/dashboard/main.js")).isEqualTo(200);
    }
    assertThat(status("", "/dashboard/other.js")).isEqualTo(401);
    assertThat(status("", "/other")).isEqualTo(401);
  }

  private static int status(String token, String path) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(admin + path));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private static HttpRequest.Builder request(String token, String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(admin + "/api/v1" + path));
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private record Answer(int status, String body) {}

  /** A stream of events has no end to wait for. */
  private static boolean isStream(HttpResponse<?> answer) {
    return answer.headers().firstValue("Content-Type").orElse("").equals("text/event-stream");
  }

  private static String text(InputStream body) throws IOException {
    return new String(body.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Callers may send a few requests per second; the test waits for its turn. */
  private static Answer send(String token, AccessSample sample) throws Exception {
    int space = sample.route().indexOf(' ');
    String path =
        sample
                .route()
                .substring(space + 1)
                .replace("{c}", sample.name())
                .replace("{l}", sample.name())
                .replace("{r}", "another")
                .replace("{p}", sample.name())
                .replace("{x}", "0123456789ab")
                .replace("{op}", "op-00000000-1")
                .replace("{q}", "request-1")
                .replace("{id}", new ItemId(sample.namespace(), "one").encoded())
            + sample.path();
    HttpRequest request =
        request(token, path)
            .method(
                sample.route().substring(0, space),
                sample.body().isEmpty()
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(sample.body()))
            .header("Content-Type", "application/json")
            .build();
    for (int i = 0; i < 600; i++) {
      HttpResponse<InputStream> answer =
          HTTP.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        if (answer.statusCode() != 429) {
          return new Answer(answer.statusCode(), isStream(answer) ? "" : text(body));
        }
      }
      LockSupport.parkNanos(100_000_000);
    }
    throw new AssertionError("the rate never let " + sample + " through");
  }

  private record Failing(String name) implements ControllerDefinition {
    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name)
          .watches(
              new PeriodicSource<>(
                  "two objects",
                  Duration.ofHours(1),
                  () -> List.of(new Request("payments", "one"), new Request("shop", "one"))))
          .reconciles((request, context) -> {
            throw new IllegalStateException("on purpose");
          });
    }
  }
}
