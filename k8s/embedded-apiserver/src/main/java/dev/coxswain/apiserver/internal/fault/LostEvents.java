// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Changes that no watch receives, not even a resumed one; at most as many as the history holds.
 * Confined to the server's event loop.
 */
final class LostEvents {
  private final Map<String, NavigableSet<Long>> versions = new HashMap<>();

  void add(String storage, long version, long oldest) {
    NavigableSet<Long> lost = versions.computeIfAbsent(storage, k -> new TreeSet<>());
    lost.headSet(oldest, true).clear(); // no watch can start there any more
    lost.add(version);
  }

  boolean contains(String storage, long version) {
    NavigableSet<Long> lost = versions.get(storage);
    return lost != null && lost.contains(version);
  }
}
