// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the options of a benchmark may be. */
class ArgumentsTest {
  private static final Map<String, String> DEFAULTS =
      Map.of("rounds", "7", "out", "", "full", "false");

  private static Arguments parse(String... given) {
    return Arguments.parse(DEFAULTS, List.of(given));
  }

  @Test
  void anOption_hasItsDefault_orTheLastValueGiven() {
    assertThat(parse().number("rounds")).isEqualTo(7);
    assertThat(parse("--rounds=3", "--rounds=2").number("rounds")).isEqualTo(2);
    assertThat(parse("--out=a=b").text("out")).isEqualTo("a=b");
  }

  @Test
  void aFlag_needsNoValue_anOptionDoes() {
    assertThat(parse().has("full")).isFalse();
    assertThat(parse("--full").has("full")).isTrue();
    assertThatThrownBy(() -> parse("--rounds")).hasMessageContaining("unknown argument");
  }

  @Test
  void whatIsUnknown_missing_orNoNumber_isRefused() {
    assertThatThrownBy(() -> parse("--round=1")).hasMessageContaining("--round=1");
    assertThatThrownBy(() -> parse("rounds=1")).hasMessageContaining("rounds=1");
    assertThatThrownBy(() -> parse().text("out")).hasMessageContaining("--out=... is missing");
    for (String wrong : List.of("0", "-1", "x", "1.5")) {
      assertThatThrownBy(() -> parse("--rounds=" + wrong).number("rounds"))
          .hasMessageContaining("expected a number above 0");
    }
  }

  @Test
  void zero_isANumberWhereItSwitchesOff() {
    assertThat(parse("--rounds=0").numberOrZero("rounds")).isZero();
    assertThat(parse().numberOrZero("rounds")).isEqualTo(7);
    for (String wrong : List.of("-1", "x", "1.5", "1234567890")) {
      assertThatThrownBy(() -> parse("--rounds=" + wrong).numberOrZero("rounds"))
          .hasMessageContaining("expected 0 or a number above it");
    }
  }

  private enum Fault {
    KILL_TWO,
    FREEZE
  }

  @Test
  void names_areOfTheCommandLine_inTheirOrder_orAll() {
    assertThat(Arguments.key(Fault.KILL_TWO)).isEqualTo("kill-two");
    assertThat(parse("--out=freeze,kill-two").constants("out", Fault.class))
        .containsExactly(Fault.FREEZE, Fault.KILL_TWO);
    assertThat(parse("--out=all").constants("out", Fault.class)).containsExactly(Fault.values());
    assertThatThrownBy(() -> parse("--out=kill").constants("out", Fault.class))
        .hasMessageContaining("expected all or some of [kill-two, freeze], found kill");
  }
}
