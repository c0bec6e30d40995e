// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.testing.TestLength;
import dev.coxswain.testing.YamlTexts;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is the same for each reader: kubectl read a property named y as true. */
class CrdYamlTest {

  static Stream<Long> seeds() {
    return TestLength.seeds(4, 100);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anyText_asKeyAndAsValue_isReadBackAsItself(long seed) {
    YamlTexts.check(seed, 1_000, map -> CrdYaml.write(Json.GSON.toJsonTree(map).getAsJsonObject()));
  }

  @Test
  void whatIsWritten_isWhatIsRead() {
    for (String text : YamlTexts.hard()) {
      JsonObject object = Json.GSON.toJsonTree(YamlTexts.everywhere(text)).getAsJsonObject();
      assertThat(CrdYaml.read(CrdYaml.write(object))).as(text).containsExactly(object);
    }
  }

  @Test
  void wordsAreNotQuoted() {
    JsonObject object = new JsonObject();
    object.addProperty("name", "a-b.c/d");
    assertThat(CrdYaml.write(object)).isEqualTo("name: a-b.c/d\n");
  }
}
