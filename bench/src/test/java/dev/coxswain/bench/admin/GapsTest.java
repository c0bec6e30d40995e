// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GapsTest {
  private final Gaps gaps = new Gaps(2);

  @Test
  void ofATimeThatWasTaken_onlyWhatLiesWithinCounts() {
    gaps.add(0, 10, 20);
    gaps.add(0, 30, 40);
    assertThat(gaps.most(0, 100)).isEqualTo(20);
    assertThat(gaps.most(15, 32)).isEqualTo(7);
    assertThat(gaps.most(12, 13)).isEqualTo(1);
    assertThat(gaps.most(20, 30)).isZero();
    assertThat(gaps.most(50, 60)).isZero();
  }

  @Test
  void processorsAreNotAddedUp_theOneThatLostMostCounts() {
    gaps.add(0, 10, 20);
    gaps.add(1, 12, 25);
    assertThat(gaps.most(0, 100)).isEqualTo(13);
  }

  @Test
  void onlyTheLatestAreKept() {
    for (int i = 0; i <= Gaps.MOST; i++) {
      gaps.add(0, 10L * i, 10L * i + 1);
    }
    assertThat(gaps.most(0, 5)).isZero();
    assertThat(gaps.most(0, Long.MAX_VALUE)).isEqualTo(Gaps.MOST);
  }
}
