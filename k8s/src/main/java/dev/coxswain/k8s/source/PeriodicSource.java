// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.internal.thread.UserThreads;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.ShardedSink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A source that polls a function at a fixed interval, for systems that cannot be watched.
 *
 * <p>The function may block, on a call to an outside system for instance. The source is synced
 * after the first successful call; after a failure, which is logged and counted, the function is
 * called again at the next interval.
 *
 * <p>With a sharded controller every replica calls the function, and adds the requests of its own
 * slots; the others are left out. {@link #ofOwned} lets the function fetch less. The requests of a
 * slot that moves here are added after the next call. For one call on all replicas together use a
 * controller with ownership {@code leader}.
 *
 * <p>Thread rule: the function is called on a virtual thread of this source, never twice at once.
 *
 * @param <K> the type of the requests
 */
public final class PeriodicSource<K> implements EventSource<K> {

  private final String name;
  private final Duration interval;
  private final Poll<K> requests;
  private final Promise<Void> synced = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicLong failures = new AtomicLong();
  private final UserCode userCode;

  /** The failure of the last call; empty when it succeeded. */
  private volatile String problem = "";

  private @Nullable Thread thread;

  /**
   * The function of a source.
   *
   * @param <K> the type of the requests
   */
  @FunctionalInterface
  public interface Poll<K> {
    /**
     * Returns the requests to reconcile; may block.
     *
     * @param owned returns false for requests that another replica owns now, which need not be
     *     returned; any thread
     */
    Collection<K> call(Predicate<K> owned) throws Exception;
  }

  /**
   * Returns a source whose function may leave out the requests of other replicas.
   *
   * @param name its name, for display
   * @param interval the pause between the end of one call and the next
   * @param requests returns the requests to reconcile
   */
  public static <K> PeriodicSource<K> ofOwned(String name, Duration interval, Poll<K> requests) {
    return new PeriodicSource<>(name, requests, interval);
  }

  /**
   * Creates a source.
   *
   * @param name its name, for display
   * @param interval the pause between the end of one call and the next
   * @param requests returns the requests to reconcile
   */
  public PeriodicSource(
      String name, Duration interval, Callable<? extends Collection<K>> requests) {
    this(name, everything(requests), interval);
  }

  private static <K> Poll<K> everything(Callable<? extends Collection<K>> requests) {
    Objects.requireNonNull(requests, "requests");
    return _ -> requests.call();
  }

  private PeriodicSource(String name, Poll<K> requests, Duration interval) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("the interval must be longer than zero: " + interval);
    }
    this.name = name;
    this.interval = Durations.clamp(interval);
    this.userCode = new UserCode("source", name);
    this.requests = Objects.requireNonNull(requests, "requests");
  }

  @Override
  public String describe() {
    return name + " every " + Durations.text(interval);
  }

  @Override
  public Future<Void> start(EventSink<K> to) {
    ShardedSink<K> sink = ShardedSink.of(to);
    if (thread != null) {
      return Future.failedFuture(
          new IllegalStateException("the source " + name + " has been started before"));
    }
    Thread created =
        Objects.requireNonNull(UserThreads.of(sink.controller()).newThread(() -> run(sink)));
    created.setName("coxswain-periodic " + name);
    thread = created;
    created.start();
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

  @Override
  public Optional<String> problem() {
    String now = problem;
    return now.isEmpty() || isStopped() ? Optional.empty() : Optional.of(now);
  }

  @Override
  public boolean isWaiting() {
    return problem().isPresent(); // it reads again after its interval
  }

  private boolean isStopped() {
    return stop.getCount() == 0;
  }

  private void run(ShardedSink<K> sink) {
    try {
      while (!isStopped()) {
        turn(sink);
        pause();
      }
    } finally {
      contain(() -> synced.tryFail("the source was stopped"));
      contain(ended::tryComplete);
    }
  }

  private void turn(ShardedSink<K> sink) {
    try {
      if (sink.pending() < EventSink.PENDING_HIGH_WATER) {
        poll(sink);
      }
    } catch (Throwable e) {
      if (!isStopped()) {
        failed(sink, e);
      }
    }
  }

  /** Waits for the whole interval, unless the source is stopped. */
  private void pause() {
    if (!isStopped()) {
      // stop() counts down before it interrupts: this interrupt was left by the function.
      userCode.clearInterrupt("periodic function", null);
    }
    try {
      stop.await(interval.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      userCode.clearInterrupt("periodic function", null);
    }
  }

  private void poll(ShardedSink<K> sink) throws Exception {
    Trigger trigger = synced.future().isComplete() ? Trigger.RESYNC : Trigger.INITIAL_LIST;
    Predicate<K> owned = request -> sink.otherOwner(request).isEmpty();
    for (K request : requests.call(owned)) {
      if (owned.test(Objects.requireNonNull(request, "request"))) {
        sink.add(request, EventSink.PRIORITY_LOW, trigger);
      }
    }
    problem = "";
    contain(synced::tryComplete);
  }

  private void failed(ShardedSink<K> sink, Throwable cause) {
    failures.incrementAndGet();
    problem = "failed, retried every " + Durations.text(interval) + ": " + UserCode.text(cause);
    userCode.failed("periodic source failed, retrying at the next interval", null, cause);
    contain(sink::userCodeFailed);
  }

  /** Contains handlers of the futures, which run here and are user code. */
  private void contain(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      userCode.failed("handler of a source future failed", null, e);
    }
  }
}
