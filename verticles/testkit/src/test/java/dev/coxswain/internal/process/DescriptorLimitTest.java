// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DescriptorLimitTest {

  @Test
  void theSoftLimit_isRead_andWhatIsNotKnownIsNone() {
    String limits =
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max processes             63459                63459                processes
        Max open files            512                  4096                 files
        Max locked memory         8388608              8388608              bytes
        """;
    assertThat(DescriptorLimit.of(limits)).isEqualTo(512);
    assertThat(DescriptorLimit.of(limits.replace("512 ", "unlimited ")))
        .isEqualTo(Integer.MAX_VALUE);
    assertThat(DescriptorLimit.of(limits.replace("512 ", "9999999999 ")))
        .isEqualTo(Integer.MAX_VALUE);
    assertThat(DescriptorLimit.of("")).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void connections_areAsManyAsWanted_orAPart() {
    int all = DescriptorLimit.part(1);
    assertThat(DescriptorLimit.connections(3, 16)).isEqualTo(Math.min(3, all / 16));
    assertThat(DescriptorLimit.connections(Integer.MAX_VALUE, 16)).isEqualTo(all / 16);
    assertThat(DescriptorLimit.part(Integer.MAX_VALUE)).isPositive();
  }
}
