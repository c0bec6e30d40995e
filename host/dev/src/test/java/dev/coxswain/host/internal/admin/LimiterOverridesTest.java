// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.MembershipOptions;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the admin API sets reaches the shared limiter, as long as a majority is there. */
class LimiterOverridesTest {

  private static final String LIMITER = "/limiters/default";
  private static final String WHY = "{\"reason\":\"x\"}";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final CoxswainConfiguration configuration =
      Admin.configuration(
          "one",
          "sharedLimiter.enabled=true",
          "sharedLimiter.members=[127.0.0.1:1]",
          "sharedLimiter.port=0",
          "limiters.default={rate: 10, burst: 100, maxRate: 20, maxBurst: 200}");
  private final Host host =
      new Host(configuration, List.of(), kubernetes, new HostMetrics("one"), Clock.system());
  private final Admin admin = new Admin(host);
  private final List<ReplicaLeases> others = new ArrayList<>();

  @BeforeEach
  void start() {
    host.start().await();
    // Nothing is set yet: it is refused until the member has joined, and changes nothing then.
    Admin.await(() -> admin.change("DELETE", LIMITER + "/override", WHY).statusCode() == 200);
  }

  @AfterEach
  void stop() {
    others.forEach(leases -> leases.stop().await());
    admin.close();
    host.stop().await();
    server.close();
  }

  @Test
  void anOverride_holdsUntilItsEnd_withinItsCeiling() {
    JsonNode set =
        admin.change("PATCH", LIMITER, "{\"rate\":20,\"ttl\":\"1h\",\"reason\":\"x\"}", 200);
    assertThat(set.path("refillPerSecond").asDouble()).isEqualTo(20);
    assertThat(set.path("capacity").asInt()).isEqualTo(100);
    assertThat(set.path("source").asText()).isEqualTo("override");
    assertThat(set.path("expiresAt").asText()).endsWith("Z");
    String beyond = "{\"rate\":20.5,\"burst\":100,\"ttl\":\"1h\",\"reason\":\"x\"}";
    assertThat(admin.change("PATCH", LIMITER, beyond, 422).toString())
        .contains("override-refused", "limiters.default.maxRate = 20.0");
    String tooSmall = "{\"rate\":20,\"burst\":1,\"ttl\":\"1h\",\"reason\":\"x\"}";
    assertThat(admin.change("PATCH", LIMITER, tooSmall, 422).toString())
        .contains("limiters.default.burst: 1");
    assertThat(shown().path("refillPerSecond").asDouble()).isEqualTo(20);
    admin.change("DELETE", LIMITER + "/override", WHY, 200);
    assertThat(shown().path("source").asText()).isEqualTo("config");
    assertThat(shown().path("refillPerSecond").asDouble()).isEqualTo(10);
    admin.change("PATCH", LIMITER, "{\"burst\":50,\"ttl\":\"1s\",\"reason\":\"x\"}", 200);
    Admin.await(() -> shown().path("source").asText().equals("config"));
    assertThat(shown().path("capacity").asInt()).isEqualTo(100);
  }

  @Test
  void theUndoOfAnOverride_restoresTheOneBefore_andThenWhatIsConfigured() {
    String first = overridden("{\"rate\":5,\"ttl\":\"1h\",\"reason\":\"x\"}");
    String second = overridden("{\"rate\":2,\"burst\":60,\"ttl\":\"2h\",\"reason\":\"x\"}");
    admin.change("POST", "/changes/" + first + "/undo", WHY, 409);
    String undo =
        admin.change("POST", "/changes/" + second + "/undo", WHY, 200).path("requestId").asText();
    assertThat(shown().path("refillPerSecond").asDouble()).isEqualTo(5);
    assertThat(shown().path("capacity").asInt()).isEqualTo(100);
    Instant end = Instant.parse(shown().path("expiresAt").asText());
    assertThat(end).isBetween(Instant.now().plusSeconds(3000), Instant.now().plusSeconds(3600));
    admin.change("POST", "/changes/" + undo + "/undo", WHY, 200);
    assertThat(shown().path("refillPerSecond").asDouble()).isEqualTo(2);
    admin.change("POST", "/changes/" + second + "/undo", WHY, 200);
    admin.change("POST", "/changes/" + first + "/undo", WHY, 200);
    assertThat(shown().path("source").asText()).isEqualTo("config");
  }

  private String overridden(String body) {
    return admin.change("PATCH", LIMITER, body).headers().firstValue("X-Request-Id").orElseThrow();
  }

  @Test
  void withoutAMajorityOfTheReplicas_itIsRefused_andNothingChanges() {
    others.add(sits("two"));
    others.add(sits("three"));
    Admin.await(() -> others.stream().allMatch(ReplicaLeases::mayAct));
    String half = "{\"rate\":5,\"ttl\":\"1h\",\"reason\":\"x\"}";
    Admin.await(() -> admin.change("PATCH", LIMITER, half).body().contains("no-quorum"));
    assertThat(admin.change("PATCH", LIMITER, half, 503).toString())
        .contains("nothing was changed");
    assertThat(admin.change("DELETE", LIMITER + "/override", WHY, 503).toString())
        .contains("no-quorum");
  }

  /** A replica whose member does not run. */
  private ReplicaLeases sits(String replica) {
    Membership shared = configuration.membership();
    ReplicaLeases leases =
        new ReplicaLeases(
            KubernetesRuntime.of(kubernetes).transport(),
            new MembershipOptions(
                shared.namespace(),
                shared.leasePrefix(),
                shared.maxReplicas(),
                replica,
                configuration.memberOptions().generationName(),
                shared.leaseOptions()),
            Clock.system(),
            () -> false);
    leases.start();
    return leases;
  }

  private JsonNode shown() {
    return admin.get(LIMITER);
  }
}
