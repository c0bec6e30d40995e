// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.Response;

/**
 * A small request for the end of an outage, in place of one by each of many watches: at most one at
 * a time, and at most four a second.
 *
 * <p>Thread rule: any thread; does not block.
 */
final class OutageProbe {

  private static final long APART = Duration.ofMillis(250).toNanos();
  private static final long RUNNING = Long.MIN_VALUE;
  private static final int IDLE_SECONDS = 5;

  private final Supplier<Call> calls;
  private final CallExecutor executor;

  /** When the last one ended, or {@link #RUNNING}. */
  private final AtomicLong ended = new AtomicLong(System.nanoTime() - APART);

  /**
   * Creates a probe.
   *
   * @param calls returns the request, each time a new one
   * @param executor counts the answers
   */
  OutageProbe(Supplier<Call> calls, CallExecutor executor) {
    this.calls = calls;
    this.executor = executor;
  }

  /** Returns a dispatcher whose only thread keeps no process alive, unlike those of OkHttp's own. */
  static Dispatcher dispatcher() {
    ThreadPoolExecutor thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(1),
            Thread.ofPlatform().name("coxswain-probe").daemon().factory());
    thread.allowCoreThreadTimeOut(true);
    return new Dispatcher(thread);
  }

  /** Sends a request, unless one is under way or has ended just now. */
  void send() {
    long last = ended.get();
    if (last == RUNNING
        || System.nanoTime() - last < APART
        || !ended.compareAndSet(last, RUNNING)) {
      return;
    }
    calls
        .get()
        .enqueue(
            new Callback() {
              @Override
              public void onResponse(Call call, Response response) {
                ended.set(System.nanoTime());
                executor.count(response);
                response.close();
              }

              @Override
              public void onFailure(Call call, IOException failure) {
                ended.set(System.nanoTime()); // the outage goes on, and others report it
              }
            });
  }
}
