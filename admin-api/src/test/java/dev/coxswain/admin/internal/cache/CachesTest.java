// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cache;

import static dev.coxswain.admin.FakeDirectory.cache;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Cluster3;
import org.junit.jupiter.api.Test;

/** Caches of three replicas over real HTTP. */
class CachesTest {

  @Test
  void eachReplica_hasItsCaches_byNameAndReplica() {
    try (Cluster3 cluster = new Cluster3()) {
      cluster.at(1).directory.caches.add(cache("Pod", "server"));
      cluster.at(1).directory.caches.add(cache("Job", "server"));
      cluster.at(0).directory.caches.add(cache("Pod", "ignored"));
      for (int asked = 0; asked < 3; asked++) {
        JsonNode json = cluster.at(asked).get("/api/v1/caches").ok(200);
        assertThat(json.path("kind").asText()).isEqualTo("CacheList");
        assertThat(json.path("items").findValuesAsText("name"))
            .containsExactly("Job", "Pod", "Pod");
        assertThat(json.path("items").findValuesAsText("replica"))
            .containsExactly("coxswain-1", "coxswain-0", "coxswain-1");
        assertThat(json.path("items").findValuesAsText("selection"))
            .containsExactly("server", "ignored", "server");
        assertThat(json.at("/items/0/ranges").asInt()).isEqualTo(17);
        assertThat(json.at("/items/0/droppedEvents").asInt()).isEqualTo(20);
      }
      assertThat(cluster.at(0).get("/api/v1/caches?replica=coxswain-1").ok(200).path("items"))
          .hasSize(2);
    }
  }
}
