// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Makes an asynchronous call for each ask. After a refusal all wait as long as the answer says, and
 * fewer ask at once, one more after each grant, so that refusals do not crowd out the grants.
 */
final class CallAsks implements Asks {
  /** A call for one grant: 0 for granted, else the nanoseconds to wait. */
  interface Call {
    CompletionStage<Long> make();
  }

  private record Answer(Ask ask, @Nullable Long nanosToWait) {}

  private static final int MOST_AT_ONCE = 1_000;
  private static final int AFTER_REFUSAL = 4;
  private static final int MOST_IN_A_TURN = 256;
  private static final long AFTER_FAILURE_NANOS = 10_000_000;

  private final Call call;
  private final Loop loop;
  private final Ask.Granted granted;
  private final ArrayDeque<Ask> waiting = new ArrayDeque<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean told = new AtomicBoolean();
  private int atOnce = MOST_AT_ONCE;
  private int open;
  private boolean pausing;
  private boolean closed;
  private long failed;

  CallAsks(Call call, Loop loop, Ask.Granted granted) {
    this.call = call;
    this.loop = loop;
    this.granted = granted;
  }

  @Override
  public void ask(Ask ask) {
    waiting.addLast(ask);
    serve();
  }

  private void serve() {
    while (!pausing && open < atOnce) {
      Ask ask = waiting.pollFirst();
      if (ask == null) {
        return;
      }
      open++;
      long before = System.nanoTime();
      // On the thread that brings the answer; no other executor is needed to queue it.
      var _ =
          call.make()
              .whenCompleteAsync((wait, e) -> answered(new Answer(ask, wait)), Runnable::run);
      ask.heldNanos += System.nanoTime() - before;
    }
  }

  private void answered(Answer answer) {
    answers.add(answer);
    if (told.compareAndSet(false, true)) {
      loop.run(this::hear);
    }
  }

  private void hear() {
    told.set(false);
    for (int i = 0; i < MOST_IN_A_TURN; i++) {
      Answer answer = answers.poll();
      if (answer == null) {
        return;
      }
      open--;
      if (!closed) {
        hear(answer);
      }
    }
    if (told.compareAndSet(false, true)) {
      loop.run(this::hear);
    }
  }

  private void hear(Answer answer) {
    Long wait = answer.nanosToWait;
    if (wait != null && wait == 0) {
      atOnce = Math.min(MOST_AT_ONCE, atOnce + 1);
      granted.granted(answer.ask, System.nanoTime());
      return;
    }
    if (wait == null) {
      failed++;
    }
    atOnce = AFTER_REFUSAL;
    waiting.addFirst(answer.ask);
    if (!pausing) {
      pausing = true;
      loop.after(
          wait == null ? AFTER_FAILURE_NANOS : wait,
          () -> {
            pausing = false;
            serve();
          });
    }
  }

  @Override
  public long failed() {
    return failed;
  }

  @Override
  public void close() {
    closed = true;
    waiting.clear();
  }
}
