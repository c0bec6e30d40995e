// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ranges have all that is wanted, whatever their number is, and as little else as it allows. */
class ShardRangesTest {

  private static final long SEED = Long.getLong("coxswain.seed", 20_261_128);

  private static List<String> names(String prefix, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
  }

  /** From the specification of FNV (Landon Curt Noll): hashes of the empty text, "a" and "foobar". */
  @Test
  void theHash_isThatOfTheReference() {
    assertThat(ShardRanges.hash("")).isEqualTo(0xcbf29ce484222325L);
    assertThat(ShardRanges.hash("a")).isEqualTo(0xaf63dc4c8601ec8cL);
    assertThat(ShardRanges.hash("foobar")).isEqualTo(0x85944171f73967e8L);
  }

  @Test
  void oneNamespace_isOnePoint() {
    assertThat(ShardRanges.of(List.of("a"), List.of("b")))
        .hasToString(
            "shardRange(object.metadata.namespace, '0xaf63dc4c8601ec8c', '0xaf63dc4c8601ec8d')");
  }

  /** Objects of the resource all have a namespace, and none has the empty one. */
  @Test
  void nothing_isTheHashOfNoNamespace() {
    ShardRanges ranges = ShardRanges.of(List.of(), names("team-", 0, 1_000));
    assertThat(ranges)
        .hasToString(
            "shardRange(object.metadata.namespace, '0xcbf29ce484222325', '0xcbf29ce484222326')");
    assertThat(names("team-", 0, 1_000)).noneMatch(ranges::has);
  }

  @Test
  void neighboursWithoutOthersBetweenThem_areOneRange() {
    List<String> all = names("team-", 0, 100);
    assertThat(ShardRanges.of(all, List.of()).size()).isEqualTo(1);
    assertThat(all).allMatch(ShardRanges.of(all, List.of())::has);
  }

  @Test
  void
      theUnionOfAnyNumberOfRanges_hasAllThatIsWanted_andNothingElseThatIsKnown_whileTheyAreEnough() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 300; i++) {
      List<String> wanted = new ArrayList<>();
      List<String> others = new ArrayList<>();
      int one = 2 + random.nextInt(8);
      String prefix = List.of("team-", "tenant-00", "preview-", "ns-").get(random.nextInt(4));
      names(prefix, 0, 1 + random.nextInt(600))
          .forEach(name -> (random.nextInt(one) == 0 ? wanted : others).add(name));
      int most = 1 + random.nextInt(64);
      ShardRanges bounded = ShardRanges.of(wanted, others, most);
      String seed = "seed " + SEED + ", " + i;
      assertThat(bounded.size()).as(seed).isLessThanOrEqualTo(most);
      assertThat(wanted).as(seed).allMatch(bounded::has);
      ShardRanges exact = ShardRanges.of(wanted, others, Integer.MAX_VALUE);
      assertThat(wanted).as(seed).allMatch(exact::has);
      assertThat(others).as(seed).noneMatch(exact::has);
      if (exact.size() <= most) {
        assertThat(bounded).as(seed).hasToString(exact.toString());
      }
    }
  }

  /** Which neighbours are joined is decided by what comes with it. */
  @Test
  void whereTheFewestOthersAre_neighboursAreJoined() {
    List<String> all = names("n", 0, 400);
    List<String> sorted =
        all.stream()
            .sorted((a, b) -> Long.compareUnsigned(ShardRanges.hash(a), ShardRanges.hash(b)))
            .toList();
    List<String> wanted = List.of(sorted.get(0), sorted.get(2), sorted.get(300), sorted.get(305));
    List<String> others = all.stream().filter(name -> !wanted.contains(name)).toList();
    ShardRanges ranges = ShardRanges.of(wanted, others, 2);
    assertThat(others.stream().filter(ranges::has))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(1, 301, 302, 303, 304).map(sorted::get).toList());
  }

  @Test
  void theTextOfTheMostRanges_isBounded() {
    ShardRanges ranges = ShardRanges.of(names("ns-", 0, 5_000), names("other-", 0, 50_000));
    assertThat(ranges.size()).isEqualTo(ShardRanges.MOST);
    assertThat(ranges.toString()).hasSizeLessThan(12_000);
  }
}
