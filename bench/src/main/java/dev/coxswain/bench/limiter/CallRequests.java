// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Makes an asynchronous call for each request. After a refusal all wait for the time in the response, and fewer calls are made at once, one more after each grant, so that refusals do not crowd out the grants.
 */
final class CallRequests implements TokenRequests {
  /** A call for one grant: 0 for granted, else the nanoseconds to wait. */
  interface Call {
    CompletionStage<Long> make();
  }

  private record Answer(TokenRequests.One request, @Nullable Long nanosToWait) {}

  private static final int MOST_AT_ONCE = 1_000;
  private static final int AFTER_REFUSAL = 4;
  private static final int MOST_IN_A_TURN = 256;
  private static final long AFTER_FAILURE_NANOS = 10_000_000;

  private final Call call;
  private final Loop loop;
  private final TokenRequests.Granted granted;
  private final ArrayDeque<TokenRequests.One> waiting = new ArrayDeque<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private int atOnce = MOST_AT_ONCE;
  private int open;
  private boolean pausing;
  private boolean closed;
  private long failed;

  CallRequests(Call call, Loop loop, TokenRequests.Granted granted) {
    this.call = call;
    this.loop = loop;
    this.granted = granted;
  }

  @Override
  public void request(TokenRequests.One request) {
    waiting.addLast(request);
    serve();
  }

  private void serve() {
    while (!pausing && open < atOnce) {
      TokenRequests.One request = waiting.pollFirst();
      if (request == null) {
        return;
      }
      open++;
      long before = System.nanoTime();
      // On the thread that brings the answer; no other executor is needed to queue it.
      var _ =
          call.make()
              .whenCompleteAsync((wait, e) -> answered(new Answer(request, wait)), Runnable::run);
      request.heldNanos += System.nanoTime() - before;
    }
  }

  private void answered(Answer answer) {
    answers.add(answer);
    if (scheduled.compareAndSet(false, true)) {
      loop.run(this::receive);
    }
  }

  private void receive() {
    scheduled.set(false);
    for (int i = 0; i < MOST_IN_A_TURN; i++) {
      Answer answer = answers.poll();
      if (answer == null) {
        return;
      }
      open--;
      if (!closed) {
        receive(answer);
      }
    }
    if (scheduled.compareAndSet(false, true)) {
      loop.run(this::receive);
    }
  }

  private void receive(Answer answer) {
    Long wait = answer.nanosToWait;
    if (wait != null && wait == 0) {
      atOnce = Math.min(MOST_AT_ONCE, atOnce + 1);
      granted.granted(answer.request, System.nanoTime());
      return;
    }
    if (wait == null) {
      failed++;
    }
    atOnce = AFTER_REFUSAL;
    waiting.addFirst(answer.request);
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
