// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimTextsTest {

  private static final String KEY = "controllers";
  private static final String LONG = "sharded!:" + "controller-with-a-name,".repeat(100) + "z";
  private static final String OTHER = "leader!:" + "controller-with-a-name,".repeat(100) + "z";
  private static final OptionalInt FIRST = OptionalInt.of(0);
  private static final OptionalInt SECOND = OptionalInt.of(1);

  private final MemoryTexts stored = new MemoryTexts();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final ClaimTexts writer = texts();
  private final ClaimTexts reader = texts();
  private long now = 1;

  @Test
  void shortText_staysInTheLease_andNeedsNoRequest() {
    assertThat(writer.shortened("1;sharded:a,b", FIRST)).isEqualTo("1;sharded:a,b");
    assertThat(writer.request(FIRST, now)).isEqualTo(Long.MAX_VALUE);
    assertThat(tasks).isEmpty();
  }

  @Test
  void longText_isPublishedAsADigest_onceItIsStored() {
    assertThat(writer.shortened("1;" + LONG, OptionalInt.empty())).isEmpty();
    request(writer, OptionalInt.empty());
    assertThat(writer.shortened("1;" + LONG, FIRST)).isEmpty();
    request(writer, FIRST);
    assertThat(writer.shortened("1;" + LONG, FIRST)).startsWith("1;sha256-").hasSizeLessThan(80);
    assertThat(stored.writes()).isEqualTo(1);
  }

  @Test
  void rulesReceiveTheTexts_afterOneRequestForAllReplicasWithEqualOnes() {
    String digest = published(LONG);
    ReplicaLeases.LeaseList list = list(digest, digest, "3;sharded:a");

    assertThat(reader.resolved(list, now)).isNull();
    request(reader, SECOND);
    assertThat(texts(reader.resolved(list, now)))
        .containsExactly("1;" + LONG, "1;" + LONG, "3;sharded:a");
    assertThat(stored.reads()).isEqualTo(1);
    assertThat(reader.problem(now)).isEmpty();

    request(reader, SECOND);
    assertThat(stored.reads()).isEqualTo(1);
  }

  @Test
  void ownLease_hasItsText() {
    String digest = published(LONG);

    assertThat(writer.resolved(own(digest)).attributes()).containsEntry(KEY, "1;" + LONG);
    assertThat(writer.resolved(own("1;sharded:a")).attributes()).containsEntry(KEY, "1;sharded:a");
  }

  @Test
  void listWithATextThatIsMissing_isNotUsed_andSaysSo_untilItAppears() {
    ReplicaLeases.LeaseList before = list("1;sharded:a");
    assertThat(reader.resolved(before, now)).isNotNull();
    String digest = published(LONG);
    stored.remove(0);
    ReplicaLeases.LeaseList list = list(digest);

    assertThat(reader.resolved(list, now)).isEqualTo(before);
    request(reader, SECOND);
    assertThat(reader.problem(now)).isEmpty();
    pass(Duration.ofSeconds(11));
    assertThat(reader.problem(now)).contains("the controllers of replica r0 cannot be read");
    assertThat(reader.resolved(list, now)).isEqualTo(before);

    stored.put(0, Map.of(digest.substring(2), LONG));
    request(reader, SECOND);
    assertThat(texts(reader.resolved(list, now))).containsExactly("1;" + LONG);
    assertThat(reader.problem(now)).isEmpty();
  }

  @Test
  void textOfAnotherDigest_isNotUsed() {
    String digest = published(LONG);
    stored.put(0, Map.of(digest.substring(2), OTHER));
    ReplicaLeases.LeaseList list = list(digest);

    assertThat(reader.resolved(list, now)).isNull();
    request(reader, SECOND);
    assertThat(reader.resolved(list, now)).isNull();
  }

  @Test
  void textThatIsInALease_isThere_untilTheNextOneIsToo() {
    String before = published(LONG);
    writer.shortened("2;" + OTHER, FIRST);
    request(writer, FIRST);
    String after = writer.shortened("2;" + OTHER, FIRST);
    ReplicaLeases.LeaseList list = list(before, after);

    assertThat(after).startsWith("2;sha256-").isNotEqualTo(before);
    assertThat(reader.resolved(list, now)).isNull();
    request(reader, SECOND);
    assertThat(texts(reader.resolved(list, now))).containsExactly("1;" + LONG, "2;" + OTHER);
  }

  @Test
  void textThatWasDeletedByHand_isStoredAgain() {
    published(LONG);
    stored.remove(0);
    for (int i = 0; i < 62; i++) {
      pass(Duration.ofSeconds(1));
      request(writer, FIRST);
    }

    assertThat(stored.get(0)).containsValue(LONG);
  }

  @Test
  void textThatWasChangedByHand_isStoredAgain() {
    String digest = published(LONG);
    stored.put(0, Map.of(digest.substring(2), OTHER));
    for (int i = 0; i < 62; i++) {
      pass(Duration.ofSeconds(1));
      request(writer, FIRST);
    }

    assertThat(stored.get(0)).containsValue(LONG);
  }

  /** As when each runs another controller of which one replica runs each. */
  @Test
  void asManyTextsAsReplicas_areRead_andEachOnce() {
    String[] digests = new String[500];
    for (int i = 0; i < digests.length; i++) {
      String text = LONG + i;
      digests[i] = "1;" + ClaimTexts.digest(text);
      stored.put(i, Map.of(ClaimTexts.digest(text), text));
    }
    ReplicaLeases.LeaseList list = list(digests);
    for (int i = 0; i < digests.length; i++) {
      assertThat(reader.resolved(list, now)).isNull();
      request(reader, SECOND);
    }

    assertThat(texts(reader.resolved(list, now)))
        .hasSize(digests.length)
        .endsWith("1;" + LONG + 499);
    assertThat(stored.reads()).isEqualTo(digests.length);
  }

  @Test
  void textIsRead_fromAnyReplicaThatHasIt() {
    String digest = published(LONG);
    ReplicaLeases.LeaseList list = list("1;sha256-" + "0".repeat(64), digest, digest, digest);
    stored.put(2, stored.get(0));
    stored.remove(0);
    reader.resolved(list, now);
    for (int i = 0; i < 8; i++) {
      request(reader, SECOND);
      pass(Duration.ofSeconds(1));
    }
    ReplicaLeases.LeaseList known = list(digest);

    assertThat(texts(reader.resolved(known, now))).containsExactly("1;" + LONG);
  }

  @Test
  void replicaWithoutALease_hasNothingToRequest() {
    published(LONG);
    pass(Duration.ofMinutes(2));

    assertThat(writer.request(OptionalInt.empty(), now)).isEqualTo(Long.MAX_VALUE);
    assertThat(tasks).isEmpty();
  }

  @Test
  void ordinalThatWasLost_isStoredAgain_alsoWhenItIsTheSameOne() {
    published(LONG);
    request(writer, OptionalInt.empty());
    stored.put(0, Map.of("of", "another replica"));
    request(writer, FIRST);

    assertThat(stored.get(0)).containsValue(LONG);
  }

  /** The clock of a process begins anywhere. */
  @Test
  void firstListWithAText_isNoProblemAtOnce() {
    now = Duration.ofDays(100).toNanos();
    String digest = published(LONG);
    reader.resolved(null, now);
    reader.resolved(list(digest), now);

    assertThat(reader.problem(now)).isEmpty();
  }

  @Test
  void replicaOfAnotherOrdinal_storesItsTextThere_beforeItPublishesIt() {
    String before = published(LONG);
    assertThat(writer.shortened("1;" + LONG, SECOND)).isEqualTo(before);
    request(writer, SECOND);
    assertThat(stored.get(1)).containsValue(LONG);
  }

  @Test
  void requestThatFails_isSentAgain_andSaysWhy() {
    stored.down(true);
    writer.shortened("1;" + LONG, FIRST);
    writer.resolved(null, now);
    request(writer, FIRST);
    assertThat(problem(writer)).as("a single failure").isEmpty();
    stored.down(false);
    request(writer, FIRST);
    assertThat(stored.writes()).as("at once").isZero();
    stored.down(true);
    for (int i = 0; i < 11; i++) {
      pass(Duration.ofSeconds(1));
      request(writer, FIRST);
      writer.resolved(null, now);
    }
    assertThat(problem(writer)).contains("no answer");
    stored.down(false);
    pass(Duration.ofSeconds(1));
    request(writer, FIRST);
    assertThat(stored.writes()).isEqualTo(1);
    assertThat(problem(writer)).isEmpty();
  }

  /** Returns what the first replica has in its Lease. */
  private String published(String text) {
    writer.shortened("1;" + text, FIRST);
    request(writer, FIRST);
    return writer.shortened("1;" + text, FIRST);
  }

  private String problem(ClaimTexts texts) {
    texts.resolved(null, now);
    return texts.problem(now);
  }

  private ClaimTexts texts() {
    return new ClaimTexts(stored, KEY, tasks::add, tasks::add);
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private void request(ClaimTexts texts, OptionalInt ordinal) {
    texts.request(ordinal, now);
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private static ReplicaLeases.OwnLease own(String text) {
    return new ReplicaLeases.OwnLease("r0_1", true, 1, Map.of(KEY, text), 0);
  }

  private ReplicaLeases.LeaseList list(String... texts) {
    List<ReplicaLeaseStatus.Taken> taken =
        IntStream.range(0, texts.length)
            .mapToObj(i ->
                new ReplicaLeaseStatus.Taken(
                    i, "r" + i + "_1", null, "one", false, true, Map.of(), Map.of(KEY, texts[i])))
            .toList();
    return new ReplicaLeases.LeaseList(taken, Set.of(), Set.of(), 1, ++now, now);
  }

  private static List<String> texts(ReplicaLeases.LeaseList list) {
    return list.taken().stream().map(taken -> taken.attributes().get(KEY)).toList();
  }
}
