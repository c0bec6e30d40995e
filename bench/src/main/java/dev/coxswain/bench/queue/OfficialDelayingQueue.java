// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import io.kubernetes.client.extended.workqueue.DefaultDelayingQueue;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * The delaying queue of the official Java client on a daemon thread. It silently loses what arrives
 * while its buffer of 1,000 entries is full; when paced, the caller waits until there is room.
 */
final class OfficialDelayingQueue<K> extends DefaultDelayingQueue<K> implements AutoCloseable {
  private static final int ROOM = 500;

  private final ExecutorService executor;
  private final boolean paced;
  private int offered;

  OfficialDelayingQueue(boolean paced) {
    this(
        paced,
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("official-java-delays").factory()));
  }

  private OfficialDelayingQueue(boolean paced, ExecutorService executor) {
    super(executor);
    this.paced = paced;
    this.executor = executor;
  }

  @Override
  public void addAfter(K key, Duration delay) {
    while (paced && waitingForAddQueue.remainingCapacity() < ROOM) {
      LockSupport.parkNanos(20_000);
    }
    offered++;
    super.addAfter(key, delay);
  }

  /** Returns how many were added, none of which was lost when paced. */
  int kept() {
    return offered;
  }

  @Override
  public void close() {
    shutDown();
    executor.shutdownNow();
  }
}
