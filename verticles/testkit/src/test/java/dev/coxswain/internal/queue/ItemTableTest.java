// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A walk over the table is in the order of the hashes, in short steps, whatever happens between.
 */
class ItemTableTest {

  private final ItemTable<Integer> table = new ItemTable<>();
  private final Map<Integer, Item<Integer>> items = new HashMap<>();
  private int keys;

  private Item<Integer> insert(int hash) {
    Item<Integer> item = new Item<>(++keys, hash, keys);
    table.insert(item);
    items.put(item.key, item);
    return item;
  }

  private void remove(Item<Integer> item) {
    table.remove(item);
    items.remove(item.key);
  }

  /** Hashes of several kinds: anywhere, in one segment, equal, and at the ends of a segment. */
  private static IntSupplier hashes(Random random) {
    return () ->
        switch (random.nextInt(5)) {
          case 0 -> random.nextInt();
          case 1 -> 0x42 << 24 | random.nextInt(1 << 24);
          case 2 -> 0x43 << 24 | 0xffffff - random.nextInt(4);
          case 3 -> 0x44 << 24 | random.nextInt(4);
          default -> 0xffffffff - random.nextInt(200);
        };
  }

  private static long unsigned(Item<Integer> item) {
    return Integer.toUnsignedLong(item.hash);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aWalk_visitsWhatStaysExactlyOnce_andNothingTwice_inTheOrderOfTheHashes(long seed) {
    Random random = new Random(seed);
    IntSupplier hashes = hashes(random);
    int size = 1 << random.nextInt(4, 15);
    for (int i = 0; i < size; i++) {
      insert(hashes.getAsInt());
    }
    Set<Integer> stayed = new HashSet<>(items.keySet());
    Set<Integer> visited = new HashSet<>();
    long from = 0;
    while (from < ItemTable.END) {
      List<Item<Integer>> step = new ArrayList<>();
      long next = table.forEachFrom(from, step::add);
      assertThat(next).as("seed %d", seed).isGreaterThan(from);
      for (Item<Integer> item : step) {
        assertThat(visited.add(item.key)).as("seed %d, %s twice", seed, item.key).isTrue();
        assertThat(unsigned(item)).as("seed %d", seed).isBetween(from, next - 1);
      }
      from = next;
      churn(random, hashes, stayed);
    }
    assertThat(visited).as("seed %d", seed).containsAll(stayed);
  }

  /** Grows and shrinks the table; sometimes nearly everything goes. */
  private void churn(Random random, IntSupplier hashes, Set<Integer> stayed) {
    int kind = random.nextInt(40);
    if (kind < 4) {
      int more = random.nextInt(300);
      for (int i = 0; i < more; i++) {
        insert(hashes.getAsInt());
      }
    } else if (kind < 8 || kind == 39) {
      List<Item<Integer>> all = new ArrayList<>(items.values());
      Collections.shuffle(all, random);
      int fewer = kind == 39 ? all.size() * 9 / 10 : Math.min(all.size(), random.nextInt(300));
      for (Item<Integer> item : all.subList(0, fewer)) {
        remove(item);
        stayed.remove(item.key);
      }
    }
  }

  /** A small table is not divided into segments, a larger one is until it is empty. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aWalk_goesOn_whenTheTableIsDividedAndWhenItIsEmptiedMeanwhile(long seed) {
    Random random = new Random(seed);
    IntSupplier hashes = hashes(random);
    for (int i = 0; i < 2_000; i++) {
      insert(hashes.getAsInt());
    }
    Set<Integer> early = new HashSet<>(items.keySet());
    Set<Integer> visited = new HashSet<>();
    long from = 0;
    int emptied = 0;
    while (from < ItemTable.END) {
      from = table.forEachFrom(from, item -> assertThat(visited.add(item.key)).isTrue());
      if (items.size() < 2_100 && emptied == 0) {
        insert(hashes.getAsInt());
        insert(hashes.getAsInt());
      } else if (random.nextInt(20) == 0) {
        long reached = from;
        assertThat(items.values())
            .as("seed %d, before %d", seed, reached)
            .filteredOn(item -> early.contains(item.key))
            .allMatch(item -> visited.contains(item.key) == (unsigned(item) < reached));
        List.copyOf(items.values()).forEach(this::remove);
        assertThat(table.size()).isZero();
        insert(hashes.getAsInt());
        emptied++;
      }
    }
    assertThat(emptied).as("seed %d", seed).isPositive();
    Set<Integer> all = new HashSet<>();
    for (from = 0; from < ItemTable.END; ) {
      from = table.forEachFrom(from, item -> all.add(item.key));
    }
    assertThat(all).as("seed %d", seed).isEqualTo(items.keySet());
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 100_000, 300_000})
  void aStep_visitsFewItems_howeverManyThereAre(int size) {
    Random random = new Random(size);
    for (int i = 0; i < size; i++) {
      insert(random.nextInt());
    }
    int visited = 0;
    for (long from = 0; from < ItemTable.END; ) {
      int[] step = new int[1];
      from = table.forEachFrom(from, item -> step[0]++);
      assertThat(step[0]).isLessThanOrEqualTo(100);
      visited += step[0];
    }
    assertThat(visited).isEqualTo(size);
  }
}
