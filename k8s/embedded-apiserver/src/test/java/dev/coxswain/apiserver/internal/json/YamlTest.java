// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.testing.TestLength;
import dev.coxswain.testing.YamlTexts;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects that are returned as YAML are the same for each reader. */
class YamlTest {

  static Stream<Long> seeds() {
    return TestLength.seeds(4, 100);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anyText_asKeyAndAsValue_isReadBackAsItself(long seed) {
    YamlTexts.check(seed, 1_000, map -> Yaml.print(Json.mapper().valueToTree(map)));
  }

  @Test
  void whatIsPrinted_isWhatIsParsed() throws IOException {
    for (String text : YamlTexts.hard()) {
      JsonNode tree = Json.mapper().valueToTree(YamlTexts.everywhere(text));
      assertThat(Yaml.parse(Yaml.print(tree))).as(text).isEqualTo(tree);
    }
  }
}
