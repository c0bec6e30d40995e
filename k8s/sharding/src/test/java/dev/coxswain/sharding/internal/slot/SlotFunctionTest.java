// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The slot of a key is the same in every version. */
class SlotFunctionTest {

  /** Computed by another implementation. */
  @ParameterizedTest
  @CsvSource({
    "'', '', b9034ad37056f5fb, 46, 2960",
    "'', a, 60de25dbfdce3954, 24, 1549",
    "default, web, 8f31174b94506e56, 35, 2291",
    "kube-system, coredns, 6319f075f568267f, 24, 1585",
    "a, b/c, 68ad9e1faafece0b, 26, 1674",
    "täm, naïve-ключ-日本-😀, 2bad4ea6f553c3c5, 10, 698",
  })
  void vectors(String namespace, String name, String hash, int of64, int of4096) {
    assertThat(Long.toHexString(SlotFunction.hash(namespace, name))).isEqualTo(hash);
    assertThat(SlotFunction.slot(namespace, name, 64)).isEqualTo(of64);
    assertThat(SlotFunction.slot(namespace, name, 4096)).isEqualTo(of4096);
    assertThat(SlotFunction.slot(namespace, name, 1)).isZero();
  }

  @Test
  void halfOfASurrogatePair_isAQuestionMark() {
    assertThat(SlotFunction.hash("a\ud83d", "\ude00b")).isEqualTo(SlotFunction.hash("a?", "?b"));
  }

  @Test
  void theNamespace_isSeparateFromTheName() {
    assertThat(SlotFunction.hash("ab", "c")).isNotEqualTo(SlotFunction.hash("a", "bc"));
  }

  @Test
  void aController_hasTheSlotOfItsName() {
    assertThat(SlotFunction.slotOfController("a", 64)).isEqualTo(24);
  }

  /** With an empty name, which no object has. */
  @Test
  void byNamespace_theNamespaceDecides_andWithoutOneTheName() {
    assertThat(SlotDivision.NAMESPACE.slot("default", "web", 64))
        .isEqualTo(SlotDivision.NAMESPACE.slot("default", "other", 64))
        .isEqualTo(SlotFunction.slot("default", "", 64));
    assertThat(SlotDivision.NAMESPACE.slot("", "a", 64)).isEqualTo(24);
    assertThat(SlotDivision.KEY.slot("default", "web", 64)).isEqualTo(35);
  }

  @Test
  void doublingTheSlots_splitsEachInTwo() {
    for (int i = 0; i < 1000; i++) {
      int slot = SlotFunction.slot("ns", "name-" + i, 64);
      assertThat(SlotFunction.slot("ns", "name-" + i, 128) / 2).isEqualTo(slot);
    }
  }

  @Test
  void theNumberOfSlots_isAPowerOfTwoUpTo4096() {
    for (int slots : new int[] {-1, 0, 3, 65, 8192, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> SlotFunction.slot("", "a", slots))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("power of two");
    }
  }

  /** A chi-square test with 63 degrees of freedom: above 127 is one in 200,000 by chance. */
  @ParameterizedTest
  @ValueSource(strings = {"ordinals", "tenants", "namespaces", "long", "by namespace"})
  void keysOfUsualForms_spreadEvenly(String form) {
    IntFunction<Integer> slot =
        switch (form) {
          case "ordinals" -> i -> SlotFunction.slot("default", "web-" + i, 64);
          case "tenants" -> i -> SlotFunction.slot("tenant-" + (10_000 + i), "config", 64);
          case "namespaces" -> i -> SlotFunction.slot("ns" + i, "default", 64);
          case "by namespace" -> i -> SlotDivision.NAMESPACE.slot("preview-" + i, "x", 64);
          default -> i -> SlotFunction.slot("a".repeat(60), "b".repeat(200) + i, 64);
        };
    int keys = 6400;
    int[] counts = new int[64];
    IntStream.range(0, keys).forEach(i -> counts[slot.apply(i)]++);
    double expected = keys / 64.0;
    double chi = 0;
    for (int count : counts) {
      chi += (count - expected) * (count - expected) / expected;
    }
    assertThat(chi).isBetween(20.0, 127.0);
  }
}
