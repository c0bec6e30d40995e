// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server on the directory of an earlier one goes on where that one stopped. */
final class ResumeTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  @TempDir Path folder;

  private EmbeddedApiServer start() {
    return EmbeddedApiServer.startBlocking(
        EmbeddedApiServerOptions.defaults().withDataDirectory(folder));
  }

  @Test
  void objectsComeBackAsTheyWere_andVersionsGoOn() {
    JsonNode map;
    long version;
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      http.configMap("kept", "");
      http.configMap("gone", "");
      map = http.merge(MAPS + "/kept", "{\"data\":{\"a\":\"b\"}}").body();
      assertThat(http.delete(MAPS + "/gone").status()).isEqualTo(200);
      version = http.get(MAPS).body().at("/metadata/resourceVersion").asLong();
    }
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      assertThat(server.resumedObjects()).isEqualTo(5); // with four namespaces
      assertThat(http.get(MAPS + "/kept").body()).isEqualTo(map);
      assertThat(http.get(MAPS).body().path("items")).hasSize(1);
      JsonNode fresh = http.configMap("fresh", "").body();
      assertThat(fresh.at("/metadata/resourceVersion").asLong()).isGreaterThan(version);
    }
  }

  @Test
  void aWatchFromBefore_isToldThatItIsTooOld() throws Exception {
    String version;
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      http.configMap("a", "");
      version = http.get(MAPS).body().at("/metadata/resourceVersion").asText();
    }
    try (EmbeddedApiServer server = start();
        Http http = new Http(server);
        Http.Watch watch = http.watch(MAPS + "?watch=true&resourceVersion=" + version)) {
      assertThat(watch.next().at("/object/code").asInt()).isEqualTo(410);
    }
  }

  @Test
  void definitionsAreServed_theirObjectsComeBack_andRolesHold() {
    var token = new EmbeddedApiServerOptions.Token("s", "reader", List.of());
    EmbeddedApiServerOptions guarded =
        EmbeddedApiServerOptions.defaults().withDataDirectory(folder).withTokens(List.of(token));
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      server.apply(
          """
          apiVersion: apiextensions.k8s.io/v1
          kind: CustomResourceDefinition
          metadata: {name: ships.example.com}
          spec:
            group: example.com
            scope: Namespaced
            names: {kind: Ship, plural: ships}
            versions:
            - name: v1
              served: true
              storage: true
              schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
          ---
          apiVersion: example.com/v1
          kind: Ship
          metadata: {name: ariel}
          spec: {masts: 3}
          ---
          apiVersion: rbac.authorization.k8s.io/v1
          kind: ClusterRole
          metadata: {name: ships}
          rules: [{apiGroups: [example.com], resources: [ships], verbs: [get]}]
          ---
          apiVersion: rbac.authorization.k8s.io/v1
          kind: ClusterRoleBinding
          metadata: {name: ships}
          subjects: [{kind: User, name: reader, apiGroup: rbac.authorization.k8s.io}]
          roleRef: {kind: ClusterRole, name: ships, apiGroup: rbac.authorization.k8s.io}
          """);
      assertThat(http.get("/apis/example.com/v1/namespaces/default/ships/ariel").status())
          .isEqualTo(200);
    }
    try (EmbeddedApiServer server = EmbeddedApiServer.startBlocking(guarded);
        Http http = new Http(server).as("s")) {
      Http.Answer ship = http.get("/apis/example.com/v1/namespaces/default/ships/ariel");
      assertThat(ship.status()).isEqualTo(200);
      assertThat(ship.body().at("/spec/masts").asInt()).isEqualTo(3);
      assertThat(http.get("/apis/example.com/v1/namespaces/default/ships").status()).isEqualTo(403);
    }
  }

  @Test
  void deletionsThatWereUnderWay_goOn() throws Exception {
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      http.configMap("owner", "");
      String uid = http.get(MAPS + "/owner").body().at("/metadata/uid").asText();
      http.configMap(
          "owned",
          "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"owner\","
              + "\"uid\":\""
              + uid
              + "\"}]");
    }
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      assertThat(http.get(MAPS + "/owned").status()).isEqualTo(200);
      http.delete(MAPS + "/owner");
      Http.await("garbage is collected", () -> http.get(MAPS + "/owned").status() == 404);
    }
  }

  @Test
  void aChange_isWrittenWhileTheServerRuns() throws Exception {
    try (EmbeddedApiServer server = start();
        Http http = new Http(server)) {
      http.configMap("first", "");
      Http.await("the first is in the file", () -> file().contains("\"first\""));
      http.configMap("second", "");
      Http.await("so is the second", () -> file().contains("\"second\""));
      http.delete(MAPS + "/first");
      Http.await("the first has gone", () -> !file().contains("\"first\""));
    }
  }

  private String file() {
    try {
      return Files.readString(folder.resolve("objects"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aSecondServerOnTheDirectory_andADamagedOne_areRefusedInOneLine() throws Exception {
    try (EmbeddedApiServer server = start()) {
      assertThat(server.resumedObjects()).isZero();
      assertThatThrownBy(this::start)
          .hasMessageContaining(folder.toString())
          .hasMessageContaining("in use");
    }
    Path file = folder.resolve("objects");
    byte[] bad = Files.readAllBytes(file);
    bad[bad.length / 2] ^= 1;
    Files.write(file, bad);
    assertThatThrownBy(this::start).hasMessageContaining(file + " is damaged");
    assertThatThrownBy(this::start).as("the lock is given back").hasMessageContaining("damaged");
    assertThat(Files.readAllBytes(file)).as("nothing is written over it").isEqualTo(bad);
  }
}
