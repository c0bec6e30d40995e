// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.run.Arguments;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of the measurement, which its small run gives and a user does not. */
class AdminLoadTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutOptions_noItemFails(boolean quick) {
    assertThat(AdminLoad.failing(Arguments.parse(AdminLoad.options(quick), List.of()))).isFalse();
  }
}
