// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InboxTest {
  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final List<Integer> arrived = new ArrayList<>();
  private int turns;

  private final class Numbered extends Inbox.Node {
    private static final long serialVersionUID = 1;
    private final int value;

    Numbered(int value) {
      this.value = value;
    }

    @Override
    public void process(long now) {
      arrived.add(value);
    }
  }

  @Test
  void burstOf10000_costsOneWakeUp_andIsDrainedInSlices() {
    Inbox inbox = new Inbox("test", Clock.system(), loop::addLast, loop::addLast, () -> turns++);
    for (int i = 0; i < 10_000; i++) {
      inbox.offer(new Numbered(i));
    }
    assertThat(loop).hasSize(1);
    assertThat(inbox.pending()).isEqualTo(10_000);
    while (!loop.isEmpty()) {
      int before = arrived.size();
      loop.removeFirst().run();
      assertThat(arrived.size() - before).as("one turn").isBetween(1, 1024);
      assertThat(loop.size()).isLessThanOrEqualTo(1);
    }
    assertThat(turns).isEqualTo(10);
    assertThat(inbox.pending()).isZero();
    for (int i = 0; i < 10_000; i++) {
      assertThat(arrived.get(i)).isEqualTo(i);
    }
  }

  @Test
  void timesOfNodes_areReadOnceFor64_andNeverGoBack() {
    AtomicInteger reads = new AtomicInteger();
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            return reads.incrementAndGet();
          }

          @Override
          public Instant instant() {
            return Instant.EPOCH;
          }
        };
    Inbox inbox = new Inbox("test", clock, loop::addLast, loop::addLast, () -> {});
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      inbox.offer(
          new Inbox.Node() {
            private static final long serialVersionUID = 1;

            @Override
            public void process(long now) {
              times.add(now);
            }
          });
    }
    while (!loop.isEmpty()) {
      loop.removeFirst().run();
    }
    assertThat(times).hasSize(2_000).isSorted();
    assertThat(times.getFirst()).isEqualTo(1);
    assertThat(reads).hasValue(1024 / 64 + (2_000 - 1024 + 63) / 64);
  }

  @Test
  void offerFromInsideADrain_arrivesInALaterTurn() {
    Inbox inbox = new Inbox("test", Clock.system(), loop::addLast, loop::addLast, () -> {});
    inbox.offer(
        new Inbox.Node() {
          private static final long serialVersionUID = 1;

          @Override
          public void process(long now) {
            inbox.offer(new Numbered(1));
          }
        });
    while (!loop.isEmpty()) {
      loop.removeFirst().run();
    }
    assertThat(arrived).containsExactly(1);
  }

  @Test
  void manyProducers_nothingIsLost_andEachOnesOrderIsKept() throws InterruptedException {
    int producers = 4;
    int each = 50_000;
    CountDownLatch done = new CountDownLatch(producers * each);
    int[] last = new int[producers];
    AtomicInteger outOfOrder = new AtomicInteger();
    try (ExecutorService eventLoop = Executors.newSingleThreadExecutor();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Inbox inbox = new Inbox("test", Clock.system(), eventLoop, eventLoop, () -> {});
      for (int p = 0; p < producers; p++) {
        int producer = p;
        threads.execute(() -> {
          for (int i = 1; i <= each; i++) {
            int value = i;
            inbox.offer(
                new Inbox.Node() {
                  private static final long serialVersionUID = 1;

                  @Override
                  public void process(long now) {
                    if (last[producer] != value - 1) {
                      outOfOrder.incrementAndGet();
                    }
                    last[producer] = value;
                    done.countDown();
                  }
                });
          }
        });
      }
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(outOfOrder).hasValue(0);
  }
}
