// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyRuleTest {

  /** Each process has an order of its own for the maps of the JDK that cannot be changed. */
  @Test
  void schema_hasItsKeysInOneOrder_atEveryDepth() {
    assertThat(KeyRule.duration(Duration.ZERO).schema().toString())
        .matches("\\{anyOf=\\[\\{const=0}, \\{pattern=.*, type=string}]}");
    Map<String, Object> inner = Map.of("b", 1, "a", 2, "d", 3, "c", 4);
    assertThat(new KeyRule("x", Map.of("z", List.of(inner), "y", inner), KeyRule.Parent.NONE))
        .extracting(rule -> rule.schema().toString())
        .isEqualTo("{y={a=2, b=1, c=4, d=3}, z=[{a=2, b=1, c=4, d=3}]}");
  }
}
