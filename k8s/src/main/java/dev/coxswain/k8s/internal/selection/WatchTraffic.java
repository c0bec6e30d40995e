// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import dev.coxswain.k8s.cache.CacheStatus;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the watches and lists of a cache have received.
 *
 * <p>Thread rule: any thread.
 */
final class WatchTraffic {

  private final AtomicLong events = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong listed = new AtomicLong();
  private final AtomicLong listedBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong droppedBytes = new AtomicLong();

  /** Of these, the events of the open watch that it has not selected. */
  private final AtomicLong unselected = new AtomicLong();

  void opened() {
    unselected.set(0);
  }

  void received(int size) {
    events.incrementAndGet();
    bytes.addAndGet(size);
  }

  void listed(int size) {
    listed.incrementAndGet();
    listedBytes.addAndGet(size);
  }

  void dropped(int size, boolean selected) {
    dropped.incrementAndGet();
    droppedBytes.addAndGet(size);
    if (!selected) {
      unselected.incrementAndGet();
    }
  }

  CacheStatus.Watched status(Selection selection, CacheStatus.Selection by) {
    ShardRanges ranges = selection.ranges();
    return new CacheStatus.Watched(
        by,
        selection.namespaces().size(),
        ranges == null ? 0 : ranges.size(),
        events.get(),
        bytes.get(),
        dropped.get(),
        droppedBytes.get(),
        listed.get(),
        listedBytes.get());
  }

  /** Returns whether the open watch has received what it did not ask for. */
  boolean isUnselected() {
    return unselected.get() > 0;
  }
}
