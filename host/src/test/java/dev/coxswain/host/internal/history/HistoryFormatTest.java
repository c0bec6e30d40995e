// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.HistoryStore.Entry;
import dev.coxswain.admin.spi.HistoryStore.Kind;
import dev.coxswain.host.internal.history.HistoryFormat.Bounds;
import dev.coxswain.host.internal.history.HistoryFormat.Numbered;
import dev.coxswain.testing.TestLength;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the ConfigMap of the history has: the newest entries, within bounds, each written once. */
class HistoryFormatTest {

  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");
  private static final String RUN = "0a0a0a0a";

  private static Entry audit(int number) {
    return new Entry(Kind.AUDIT, NOW.plusMillis(number), "", "{\"n\":" + number + "}");
  }

  private static Entry part(int number, String operation) {
    return new Entry(
        Kind.OPERATION, NOW.plusMillis(number), operation, "{\"part\":" + number + "}");
  }

  private static Map<String, String> values(int first, Entry... entries) {
    List<Numbered> numbered = new ArrayList<>();
    for (Entry entry : entries) {
      numbered.add(new Numbered(entry, first + numbered.size()));
    }
    return HistoryFormat.values(RUN, numbered);
  }

  private static List<String> read(Map<String, String> data, Kind kind) {
    return HistoryFormat.entries(data).stream()
        .filter(entry -> entry.kind() == kind)
        .map(Entry::json)
        .toList();
  }

  @Test
  void whatIsWritten_isRead_theOldestFirst() {
    Map<String, String> data =
        HistoryFormat.with(null, values(1, audit(1), part(2, "op-a"), audit(3)), false);
    data = HistoryFormat.with(data, values(4, part(4, "op-a"), audit(5)), false);
    assertThat(read(data, Kind.AUDIT)).containsExactly("{\"n\":1}", "{\"n\":3}", "{\"n\":5}");
    assertThat(read(data, Kind.OPERATION)).containsExactly("{\"part\":2}", "{\"part\":4}");
    assertThat(HistoryFormat.entries(data).getLast().group()).isEqualTo("op-a");
    assertThat(HistoryFormat.entries(null)).isEmpty();
  }

  /** The result of a write may be unknown; it is made again, perhaps with more behind it. */
  @Test
  void aWriteThatIsRepeated_isNotReadTwice() {
    Map<String, String> data = HistoryFormat.with(null, values(1, audit(1), audit(2)), false);
    data = HistoryFormat.with(data, values(1, audit(1), audit(2), audit(3)), false);
    assertThat(read(data, Kind.AUDIT)).containsExactly("{\"n\":1}", "{\"n\":2}", "{\"n\":3}");
  }

  static Stream<Long> seeds() {
    return TestLength.seeds(4, 1_000);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whateverIsAdded_theNewestRemain_withinTheBounds_andWhatIsThereDoesNotChange(long seed) {
    Random random = new Random(seed);
    Map<String, String> data = new TreeMap<>(Map.of("of-another", "x".repeat(1000)));
    Map<String, String> seen = new HashMap<>();
    int number = 0;
    for (int write = 0; write < 120; write++) {
      List<Entry> entries = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        number++;
        int bytes = random.nextInt(10) == 0 ? 9_000 : random.nextInt(600);
        String text = "{\"n\":" + number + ",\"t\":\"" + "ä".repeat(bytes / 2) + "\"}";
        boolean isPart = random.nextInt(4) == 0;
        entries.add(
            new Entry(
                isPart ? Kind.OPERATION : random.nextInt(3) == 0 ? Kind.EVENT : Kind.AUDIT,
                NOW.plusMillis(number),
                isPart ? "op-" + (number / 7) : "",
                text));
      }
      int first = number - entries.size() + 1;
      Map<String, String> next =
          HistoryFormat.with(data, values(first, entries.toArray(Entry[]::new)), false);
      seen.forEach((key, value) -> {
        if (next.containsKey(key)) {
          assertThat(next.get(key)).as("seed %s, key %s", seed, key).isEqualTo(value);
        }
      });
      data = next;
      seen.putAll(data);
      assertThat(data).as("seed %s", seed).containsKey("of-another");
      if (write % 10 == 9) { // each look takes as long as many writes
        for (Kind kind : Kind.values()) {
          check(seed, data, seen, kind);
        }
      }
    }
  }

  private static void check(
      long seed, Map<String, String> data, Map<String, String> seen, Kind kind) {
    Bounds bounds = Bounds.of(kind);
    String prefix = kind.name().toLowerCase(Locale.ROOT) + "-";
    int bytes =
        data.entrySet().stream()
            .filter(value -> value.getKey().startsWith(prefix))
            .mapToInt(value -> value.getKey().length() + value.getValue().getBytes(UTF_8).length)
            .sum();
    assertThat(bytes).as("seed %s, bytes of %s", seed, kind).isLessThanOrEqualTo(bounds.bytes());
    List<Entry> entries =
        HistoryFormat.entries(data).stream().filter(entry -> entry.kind() == kind).toList();
    long units =
        kind != Kind.OPERATION
            ? entries.size()
            : entries.stream().map(Entry::group).distinct().count();
    assertThat(units).as("seed %s, count of %s", seed, kind).isLessThanOrEqualTo(bounds.count());
    // No operation is there in part, and nothing is missing between those that are there.
    Set<String> there = new HashSet<>(read(data, kind));
    List<Entry> all =
        HistoryFormat.entries(new TreeMap<>(seen)).stream()
            .filter(entry -> entry.kind() == kind)
            .toList();
    Set<String> whole =
        all.stream()
            .filter(entry -> there.contains(entry.json()) && !entry.group().isEmpty())
            .map(Entry::group)
            .collect(Collectors.toSet());
    boolean begun = false;
    for (Entry entry : all) {
      boolean isThere = there.contains(entry.json());
      assertThat(isThere || (!begun && !whole.contains(entry.group())))
          .as("seed %s, missing between others: %s", seed, entry)
          .isTrue();
      begun |= isThere && entry.group().isEmpty();
    }
  }

  @Test
  void anEntryThatIsTooLong_isNotAccepted() {
    String long16 = "x".repeat(HistoryFormat.MAX_ENTRY_BYTES);
    assertThat(HistoryFormat.accepts(new Entry(Kind.AUDIT, NOW, "", long16))).isTrue();
    assertThat(HistoryFormat.accepts(new Entry(Kind.AUDIT, NOW, "", long16 + "x"))).isFalse();
    assertThat(HistoryFormat.accepts(new Entry(Kind.AUDIT, NOW, "", "ä".repeat(9_000)))).isFalse();
    assertThat(HistoryFormat.accepts(new Entry(Kind.AUDIT, NOW, "", "{\n}"))).isFalse();
    assertThat(HistoryFormat.accepts(new Entry(Kind.OPERATION, NOW, "a/b", "{}"))).isFalse();
    assertThat(HistoryFormat.accepts(new Entry(Kind.OPERATION, NOW, "a".repeat(65), "{}")))
        .isFalse();
  }

  /** A newer version may write beside an older one, and is rolled back with nothing lost. */
  @Test
  void keysOfAnotherForm_areNeitherReadNorRemoved() {
    Map<String, String> others =
        Map.of(
            "audit-2.1764237600000.0a0a0a0a.00000001", "{}",
            "audit-1.17642.0a0a0a0a.00000001", "{}",
            "audit-1.1764237600000.0a0a0a0a.00000001.op-a.b", "{}",
            "limits-1.1764237600000.0a0a0a0a.00000001", "{}",
            "notes", "by hand");
    Map<String, String> data = new TreeMap<>(others);
    for (int i = 0; i < 3_000; i += 3) {
      data = HistoryFormat.with(data, values(i + 1, audit(i), audit(i + 1), audit(i + 2)), false);
    }
    assertThat(data).containsAllEntriesOf(others);
    assertThat(read(data, Kind.AUDIT)).hasSizeBetween(998, 1_000).endsWith("{\"n\":2999}");
    assertThat(read(data, Kind.OPERATION)).isEmpty();
  }

  @Test
  void aValueThatWasChangedByHand_isReadLineByLine() {
    Map<String, String> data =
        Map.of("audit-1.1764237600000.0a0a0a0a.00000001", "{\"n\":1}\r\n\n  \nnone");
    assertThat(read(data, Kind.AUDIT)).containsExactly("{\"n\":1}", "none");
  }
}
