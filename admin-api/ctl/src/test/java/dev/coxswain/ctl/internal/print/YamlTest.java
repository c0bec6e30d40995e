// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.testing.TestLength;
import dev.coxswain.testing.YamlTexts;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code -o yaml} prints is the same for each reader. */
class YamlTest {

  static Stream<Long> seeds() {
    return TestLength.seeds(4, 100);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anyText_asKeyAndAsValue_isReadBackAsItself(long seed) {
    YamlTexts.check(seed, 1_000, map -> Yaml.document(new Json(map)));
  }
}
