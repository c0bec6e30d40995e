// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnPathsTest {

  private static final JsonObject SCHEMA =
      JsonParser.parseString(
              """
              {properties: {spec: {properties: {
                 ports: {type: array, x-kubernetes-list-map-keys: [name], items: {}},
                 sockets: {type: array, x-kubernetes-list-map-keys: [port, protocol], items: {}}}}}}\
              """)
          .getAsJsonObject();

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".spec.every",
        ".metadata.labels.app\\.kubernetes\\.io/name",
        ".metadata.annotations['example.com/a']",
        ".spec.containers[0].image",
        ".spec.containers[-1].image",
        ".status.conditions[-1:].type",
        ".status.conditions[?(@.type==\"Ready\")].status",
        ".status.conditions[?(@.type=='Ready')].status",
        ".spec.ports[?(@.name=='web')].port"
      })
  void pathOfOneValue_passes(String path) {
    assertThat(ColumnPaths.severalMatches(path, SCHEMA)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".status.conditions[?(@.status==\"True\")].type",
        ".status.conditions[?(@.type!=\"Ready\")].status",
        ".status.conditions[?(@.type)].status",
        ".status.conditions[*].type",
        ".spec.*",
        ".spec.containers[0:2].image",
        ".spec.containers[0,1].image",
        ".spec.containers[:].image",
        "..image",
        ".spec..image",
        ".spec.sockets[?(@.port==80)].name",
        ".spec.ports[?(@.port==80)].name",
        ".spec.containers[?(@.name=='a')].image"
      })
  void pathThatCanMatchSeveralTimes_isFound(String path) {
    assertThat(ColumnPaths.severalMatches(path, SCHEMA)).isTrue();
  }

  @Test
  void examples_haveNoSuchColumn() throws Exception {
    Path examples = Path.of("..", "..", "examples", "src", "main", "resources");
    try (Stream<Path> files = Files.walk(examples)) {
      List<Path> definitions =
          files.filter(file -> file.getFileName().toString().startsWith("crd-")).toList();
      assertThat(definitions).isNotEmpty();
      for (Path file : definitions) {
        for (JsonObject one : CrdYaml.read(Files.readString(file))) {
          assertThat(CustomResourceDefinitions.warnings(one)).as("%s", file).isEmpty();
        }
      }
    }
  }
}
