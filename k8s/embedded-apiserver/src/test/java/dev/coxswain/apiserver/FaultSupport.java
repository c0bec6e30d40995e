// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server whose faults a test injects, and which is sound afterwards. */
abstract class FaultSupport {
  static final String MAPS = "/api/v1/namespaces/default/configmaps";
  static final Duration SILENCE = Duration.ofMillis(200);

  EmbeddedApiServer server;
  Http http;
  Faults faults;

  @BeforeEach
  void start() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    http = new Http(server);
    faults = server.faults();
  }

  @AfterEach
  void stop() {
    faults.reset();
    Http fresh = new Http(server);
    assertThat(fresh.get(MAPS).status()).as("sound afterwards").isEqualTo(200);
    assertThat(fresh.configMap("after", "").status()).isEqualTo(201);
    assertThat(faults.active()).isEmpty();
    fresh.close();
    http.close();
    server.close();
  }

  String version() {
    return http.get(MAPS).body().at("/metadata/resourceVersion").asText();
  }

  Http.Watch watchMaps() {
    return http.watch(MAPS + "?watch=true&resourceVersion=" + version());
  }

  static String name(JsonNode event) {
    return event.at("/object/metadata/name").asText();
  }
}
