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
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces that exist, as one informer of the process reports them, for all watches that select by them. The informer
 * may be behind.
 *
 * <p>Thread rule: any thread; nothing blocks. One thread at a time reports.
 */
public final class KnownNamespaces implements AutoCloseable {

  /** How long a server that has refused a selector receives no other one. */
  static final Duration REFUSED = Duration.ofMinutes(10);

  /** New namespaces of this time are loaded together: each load may open a watch again. */
  static final Duration COMBINED = Duration.ofMillis(500);

  /** How often watches that could select less are looked for. */
  static final Duration NARROWED = Duration.ofSeconds(5);

  private static final Set<Integer> TOO_LONG = Set.of(414, 431);
  private static final String INVALID = "invalid shard selector";
  private static final Logger LOG = LoggerFactory.getLogger(KnownNamespaces.class);

  private final Clock clock;
  private final Supplier<String> position;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Set<SelectedWatch<?>> watches = ConcurrentHashMap.newKeySet();
  private final AtomicLong removals = new AtomicLong();
  private final AtomicBoolean combining = new AtomicBoolean();
  private final AtomicBoolean narrowing = new AtomicBoolean();

  /** Its thread starts with the first task; it accepts none after {@link #close}. */
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().daemon().name("coxswain-selections").factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  private volatile boolean complete;
  private volatile boolean refused;
  private volatile long refusedAt;

  /**
   * Creates an empty set.
   *
   * @param position returns the version up to which the namespaces are reported; empty when it is unknown
   */
  public KnownNamespaces(Clock clock, Supplier<String> position) {
    this.clock = clock;
    this.position = position;
  }

  // Reports

  /** A namespace exists. */
  public void added(String name) {
    if (names.add(name) && complete) {
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
    watches.forEach(watch -> watch.removed(name));
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
    return complete && !refused;
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

  /** Returns whether a server, or a proxy, does not accept a selector; then watches go on without for a while. */
  boolean refuses(ApiStatusException answer) {
    boolean refusal =
        TOO_LONG.contains(answer.code()) || String.valueOf(answer.getMessage()).contains(INVALID);
    if (refusal) {
      refusedAt = clock.nanos();
      if (!refused) {
        refused = true;
        LOG.atWarn()
            .addKeyValue("problem", answer.getMessage())
            .addKeyValue("again", REFUSED)
            .log("server refuses to select by namespace, so watches receive everything");
      }
    }
    return refusal;
  }

  /** Ends its thread. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
