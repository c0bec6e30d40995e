// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.internal.status.ApiException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The hash of shard selectors, and their text. */
class ShardSelectorTest {
  private static final String LOWER =
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
  private static final String UPPER =
      "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

  @ParameterizedTest
  @CsvSource({
    "'',             cbf29ce484222325",
    "a,              af63dc4c8601ec8c",
    "foobar,         85944171f73967e8",
    "default,        ebada5168620c5fe",
    "kube-system,    df65c7bc1d82b35e",
    "größe,          b7450e1ef58140da"
  })
  void theHash_isFnv1aOfTheUtf8Bytes(String text, String hash) {
    assertThat(Long.toHexString(ShardSelector.hash(text))).isEqualTo(hash);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        LOWER,
        " shardRange( object.metadata.uid ,'0x0000000000000000','0x8000000000000000' )\n",
        "shardRange(object.metadata.uid,\"0x0000000000000000\",r'0x8000000000000000')",
        "((shardRange((object.metadata.uid), ('0x0000000000000000'), '0x8000000000000000')))"
      })
  void oneRange_isNormalized(String text) {
    assertThat(ShardSelector.parse(text)).hasToString(LOWER);
  }

  @Test
  void ranges_keepTheirOrder_andMayTouchOrOverlap() {
    assertThat(ShardSelector.parse(UPPER + "||(" + LOWER + "||" + UPPER + ")"))
        .hasToString(UPPER + " || " + LOWER + " || " + UPPER);
  }

  @Test
  void namespaces_areAField() {
    String text =
        "shardRange(object.metadata.namespace, '0xcbf29ce484222325', '0xcbf29ce484222326')";
    assertThat(ShardSelector.parse(text)).hasToString(text);
  }

  @Test
  void aHundredAndTwentyEightRanges_areRead() {
    String text =
        IntStream.range(0, 128)
            .mapToObj(
                "shardRange(object.metadata.namespace, '0x%1$015x0', '0x%1$015xf')"::formatted)
            .collect(Collectors.joining(" || "));
    assertThat(ShardSelector.parse(text)).hasToString(text);
  }

  @Test
  void noText_isEverything() {
    assertThat(ShardSelector.parse(null).isEmpty()).isTrue();
    assertThat(ShardSelector.parse("").isEmpty()).isTrue();
    assertThat(ShardSelector.parse(LOWER + "||" + UPPER).isEmpty()).isFalse();
  }

  @Test
  void aRange_hasItsFirstHash_andNotItsEnd() {
    ShardRange middle = ShardRange.parse("0x7fffffffffffffff", "0x8000000000000001");
    assertThat(List.of(Long.MAX_VALUE, Long.MIN_VALUE)).allMatch(middle::contains);
    assertThat(List.of(Long.MAX_VALUE - 1, Long.MIN_VALUE + 1, 0L, -1L))
        .noneMatch(middle::contains);
    ShardRange top = ShardRange.parse("0xffffffffffffffff", "0x10000000000000000");
    assertThat(List.of(-1L)).allMatch(top::contains);
    assertThat(List.of(-2L, 0L)).noneMatch(top::contains);
    ShardRange all = ShardRange.parse("0x0000000000000000", "0x10000000000000000");
    assertThat(List.of(0L, Long.MAX_VALUE, Long.MIN_VALUE, -1L)).allMatch(all::contains);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " ",
        "x",
        "true",
        "shardRange(",
        LOWER + " ||",
        LOWER + " && " + UPPER,
        "!" + LOWER,
        LOWER + ", " + UPPER,
        "hashRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x0000000000000000')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000', 'x')",
        "shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')",
        "shardRange(metadata.uid, '0x0000000000000000', '0x8000000000000000')",
        "shardRange('object.metadata.uid', '0x0000000000000000', '0x8000000000000000')",
        "shardRange(object.metadata.uid, 0, 8)",
        "shardRange(object.metadata.uid, 0x0000000000000000, 0x0800000000000000)",
        "shardRange(object.metadata.uid, b'0x0000000000000000', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x0', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x800000000000000')",
        "shardRange(object.metadata.uid, '0000000000000000', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '8000000000000000')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x000000000000000A')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x000000000000000g')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000001')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x00000000000000000')",
        "shardRange(object.metadata.uid, '0x00000000000000000', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')",
        "shardRange(object.metadata.uid, '0x8000000000000000', '0x7fffffffffffffff')",
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000000')",
        "shardRange(object.metadata.uid, '0x10000000000000000', '0x10000000000000000')",
        LOWER
            + " || shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')"
      })
  void whatIsNoSelector_isAnInternalError(String text) {
    assertThatThrownBy(() -> ShardSelector.parse(text))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.toStatus().path("code").asInt()).isEqualTo(500))
        .hasMessageStartingWith("invalid shard selector: ");
  }
}
