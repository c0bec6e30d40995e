// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a function at a fixed interval what is to be reconciled, for whatever cannot be watched.
 *
 * <p>The function may block, on a call to an outside system for instance. The source is synced when
 * it has answered for the first time; when it throws it is asked again at the next turn, and the
 * failure is logged and counted.
 *
 * <p>Thread rule: the function is called on a virtual thread of this source, never twice at once.
 *
 * @param <K> the type of the requests
 */
public final class PeriodicSource<K> implements EventSource<K> {

  private static final Logger log = LoggerFactory.getLogger(PeriodicSource.class);

  private final String name;
  private final Duration interval;
  private final Callable<? extends Collection<K>> requests;
  private final Promise<Void> synced = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicLong failures = new AtomicLong();
  private @Nullable Thread thread;

  /**
   * Creates a source.
   *
   * @param name what is looked at, for people
   * @param interval the pause between the end of one call and the next
   * @param requests tells what is to be reconciled
   */
  public PeriodicSource(
      String name, Duration interval, Callable<? extends Collection<K>> requests) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("the interval must be longer than zero: " + interval);
    }
    this.name = name;
    this.interval = interval;
    this.requests = Objects.requireNonNull(requests, "requests");
  }

  @Override
  public String describe() {
    return name + " every " + interval;
  }

  @Override
  public Future<Void> start(EventSink<K> sink) {
    thread = Thread.ofVirtual().name("coxswain-periodic " + name).start(() -> run(sink));
    return synced.future();
  }

  @Override
  public Future<Void> stop() {
    if (thread == null) {
      return Future.succeededFuture();
    }
    stop.countDown();
    thread.interrupt();
    return ended.future();
  }

  /** Returns how often the function has thrown. */
  public long failures() {
    return failures.get();
  }

  private void run(EventSink<K> sink) {
    try {
      do {
        if (sink.pending() < EventSink.PENDING_HIGH_WATER) {
          ask(sink);
        }
      } while (!stop.await(interval.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synced.tryFail("the source was stopped");
      ended.tryComplete();
    }
  }

  private void ask(EventSink<K> sink) throws InterruptedException {
    Trigger trigger = synced.future().isComplete() ? Trigger.RESYNC : Trigger.INITIAL_LIST;
    try {
      for (K request : requests.call()) {
        sink.add(request, EventSink.PRIORITY_LOW, trigger);
      }
      synced.tryComplete();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
      long count = failures.incrementAndGet();
      log.atWarn()
          .addKeyValue("source", name)
          .addKeyValue("count", count)
          .setCause(e)
          .log("periodic source failed, it is asked again at the next turn");
    }
  }
}
