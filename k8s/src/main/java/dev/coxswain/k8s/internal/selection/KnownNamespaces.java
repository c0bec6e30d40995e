// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces that exist, as one informer of the process reports them, for all watches that select by them. The informer
 * may be behind.
 *
 * <p>Thread rule: any thread; nothing blocks but its own one. One thread at a time reports.
 */
public final class KnownNamespaces implements AutoCloseable {

  /** How long a server that has refused a selector receives no other one. */
  static final Duration REFUSED = Duration.ofMinutes(10);

  /** New namespaces of this time are loaded together: each load may open a watch again. */
  static final Duration COMBINED = Duration.ofMillis(500);

  /** How often watches that could select less are looked for. */
  static final Duration NARROWED = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(KnownNamespaces.class);

  private final Clock clock;
  private final BooleanSupplier follows;
  private final Supplier<String> position;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Set<SelectedWatch<?>> watches = ConcurrentHashMap.newKeySet();
  private final AtomicLong removals = new AtomicLong();
  private final AtomicBoolean combining = new AtomicBoolean();
  private final AtomicBoolean narrowing = new AtomicBoolean();

  private final ScheduledThreadPoolExecutor timer;

  private volatile boolean complete;
  private volatile boolean refused;
  private volatile long refusedAt;

  /**
   * Creates an empty set.
   *
   * @param follows whether later namespaces are reported, too: the right to list them is not that to watch them
   * @param position returns the version up to which namespaces were reported; empty when it is unknown
   */
  public KnownNamespaces(Clock clock, BooleanSupplier follows, Supplier<String> position) {
    this(
        clock,
        follows,
        position,
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform().daemon().name("coxswain-selections").factory(),
            new ThreadPoolExecutor.DiscardPolicy()));
  }

  /** @param timer has one thread, which starts with the first task; accepts none after {@link #close} */
  KnownNamespaces(
      Clock clock,
      BooleanSupplier follows,
      Supplier<String> position,
      ScheduledThreadPoolExecutor timer) {
    this.clock = clock;
    this.follows = follows;
    this.position = position;
    this.timer = timer;
  }

  // Reports

  /** A namespace exists. */
  public void added(String name) {
    names.add(name);
    if (complete) {
      watches.forEach(watch -> watch.added(name)); // in this order: see SelectedWatch
      if (combining.compareAndSet(false, true)) {
        later(COMBINED, this::load);
      }
    }
  }

  /** A namespace does not exist any more. */
  public void removed(String name) {
    names.remove(name);
    removals.incrementAndGet();
  }

  /** All namespaces were reported once. */
  public void complete() {
    complete = true;
    removals.incrementAndGet();
    later(Duration.ZERO, this::narrow);
  }

  // Watches

  void add(SelectedWatch<?> watch) {
    watches.add(watch);
    if (narrowing.compareAndSet(false, true)) {
      later(NARROWED, this::narrowAgain);
    }
  }

  /** The open watch of this one may select less than it did when it was opened. */
  void changed(SelectedWatch<?> watch) {
    later(Duration.ZERO, watch::narrow);
  }

  void remove(SelectedWatch<?> watch) {
    watches.remove(watch);
  }

  private void load() {
    combining.set(false);
    watches.forEach(SelectedWatch::loadNew);
  }

  private void narrowAgain() {
    try {
      narrow();
      load(); // what came without a report
    } finally {
      later(NARROWED, this::narrowAgain);
    }
  }

  private void narrow() {
    watches.forEach(SelectedWatch::narrow);
  }

  private void later(Duration delay, Runnable task) {
    Future<?> _ = timer.schedule(() -> run(task), NANOSECONDS.convert(delay), NANOSECONDS);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // The future of a task is not awaited: a failure that is not logged here is lost.
      new UserCode("cache", "namespaces").failed("selections of watches not updated", null, e);
    }
  }

  // Selections

  /** Returns whether watches may select: all namespaces are known, and the server refuses no selector. */
  boolean isUsable() {
    if (refused && clock.nanos() - refusedAt >= REFUSED.toNanos()) {
      refused = false;
    }
    return complete && !refused && follows.getAsBoolean();
  }

  boolean isRefused() {
    return refused;
  }

  Set<String> names() {
    return names;
  }

  String position() {
    return position.get();
  }

  /** Returns a number that grows when a selection could be made smaller by what was reported. */
  long removals() {
    return removals.get();
  }

  /** A server, or a proxy, accepts a watch without a selector only. */
  void refused(ApiStatusException answer) {
    refusedAt = clock.nanos();
    if (!refused) {
      refused = true;
      LOG.atWarn()
          .addKeyValue("problem", answer.getMessage())
          .addKeyValue("again", REFUSED)
          .log("server refuses to select by namespace, so watches receive everything");
    }
  }

  /** Ends its thread. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
