// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** All objects of a server can be seen and removed, and a bookmark follows every change. */
@Isolated
final class ServerStateTest {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Http http = new Http(server);

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @Test
  void objects_areThoseOfAllResources() {
    http.configMap("a", "");

    assertThat(server.state().objects())
        .hasSize(5) // with four namespaces
        .anyMatch(json -> json.contains("\"kind\":\"ConfigMap\"") && json.contains("\"a\""));
  }

  @Test
  void clear_removesWhatHasFinalizersToo_andKeepsDefinitionsAndTheFirstNamespaces() {
    server.apply(
        Definitions.of("Ship")
            + """
            ---
            apiVersion: example.com/v1
            kind: Ship
            metadata: {namespace: default, name: a, finalizers: [example.com/kept]}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: other}
            """);

    server.state().clear();

    assertThat(server.state().objects()).hasSize(5);
    assertThat(http.get("/apis/example.com/v1/ships").body().path("items")).isEmpty();
    assertThat(http.get("/api/v1/namespaces/default").status()).isEqualTo(200);
    assertThat(http.get("/api/v1/namespaces/other").status()).isEqualTo(404);
  }

  @Test
  void settle_waitsForTheGarbageCollector() {
    JsonNode owner = http.configMap("owner", "").body();
    String uid = owner.at("/metadata/uid").asText();
    http.configMap(
        "owned",
        "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"owner\","
            + "\"uid\":\""
            + uid
            + "\"}]");
    http.delete(MAPS + "/owner");

    long version = server.state().settle();

    assertThat(http.get(MAPS).body().path("items")).isEmpty();
    assertThat(server.state().settle()).isEqualTo(version);
  }

  @Test
  void settle_sendsABookmarkBehindEveryChange() throws Exception {
    http.configMap("a", "");
    try (Http.Watch watch = http.watch(MAPS + "?watch=true&allowWatchBookmarks=true")) {
      assertThat(watch.next().path("type").asText()).isEqualTo("ADDED");
      http.configMap("b", "");
      long version = server.state().settle();

      assertThat(watch.next().path("type").asText()).isEqualTo("ADDED");
      JsonNode bookmark = watch.next();
      assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
      assertThat(bookmark.at("/object/metadata/resourceVersion").asLong()).isEqualTo(version);
    }
  }
}
