// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WitnessTest {

  @Test
  void aWitnessSaysWhetherItSees_andWhyNot() {
    try (Witness witness = Witness.start()) {
      assertThat(witness.remark())
          .matches(
              "when the machine takes (one of the \\d+ processors is seen|a processor is not seen: .+).*");
      assertThat(witness.gaps().most(0, 0)).isZero();
    }
  }
}
