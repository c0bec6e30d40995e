// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.spi.ConfigurationStatus;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The configuration of three replicas over real HTTP: each has a state of its own. */
class ClusterConfigurationTest {

  private static final Instant AT = Instant.parse("2026-11-20T10:00:00Z");

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void theList_hasTheConfigurationOfEachReplica_withWhatIsNotInUse() {
    ConfigurationStatus start = ConfigurationStatus.started("a.yaml", AT);
    cluster.at(0).directory.configuration = start;
    cluster.at(1).directory.configuration =
        start
            .reloaded(AT, List.of("logging.level"), List.of("drainLimit"))
            .withSettling(List.of("default"));
    cluster.at(2).directory.configuration =
        start.rejected(AT, List.of("a.yaml:3: one", "a.yaml:4: two"));
    for (int asked = 0; asked < 3; asked++) {
      JsonNode json = cluster.at(asked).get("/api/v1/config").ok(200);
      assertThat(json.path("partial").asBoolean(true)).isFalse();
      assertThat(json.path("items")).hasSize(3);
      assertThat(json.at("/items/0/replica").asText()).isEqualTo("coxswain-0");
      assertThat(json.at("/items/0/state").asText()).isEqualTo("current");
      assertThat(json.at("/items/1/state").asText()).isEqualTo("restartNeeded");
      assertThat(json.at("/items/1/changed/0").asText()).isEqualTo("logging.level");
      assertThat(json.at("/items/1/needsRestart/0").asText()).isEqualTo("drainLimit");
      assertThat(json.at("/items/1/settling/0").asText()).isEqualTo("default");
      assertThat(json.at("/items/2/state").asText()).isEqualTo("rejected");
      assertThat(json.at("/items/2/errors/1").asText()).isEqualTo("a.yaml:4: two");
      assertThat(json.at("/items/2/rejectedAt").asText()).startsWith("2026-11-20T10:00:00");
    }
    assertThat(cluster.at(0).get("/api/v1/config?scope=local").ok(200).path("items")).hasSize(1);
  }
}
