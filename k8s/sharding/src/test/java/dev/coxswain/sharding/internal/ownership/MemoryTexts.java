// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import java.util.HashMap;
import java.util.Map;

/** Texts in memory, with the number of requests. */
final class MemoryTexts implements ClaimTexts.Store {

  private final Map<Integer, Map<String, String>> byOrdinal = new HashMap<>();
  private int reads;
  private int writes;
  private boolean down;

  @Override
  public Map<String, String> get(int ordinal) {
    check();
    reads++;
    return Map.copyOf(byOrdinal.getOrDefault(ordinal, Map.of()));
  }

  @Override
  public void put(int ordinal, Map<String, String> texts) {
    check();
    writes++;
    byOrdinal.put(ordinal, Map.copyOf(texts));
  }

  private void check() {
    if (down) {
      throw new IllegalStateException("no answer");
    }
  }

  void clear() {
    byOrdinal.clear();
  }

  void down(boolean is) {
    down = is;
  }

  void remove(int ordinal) {
    byOrdinal.remove(ordinal);
  }

  int reads() {
    return reads;
  }

  int writes() {
    return writes;
  }
}
