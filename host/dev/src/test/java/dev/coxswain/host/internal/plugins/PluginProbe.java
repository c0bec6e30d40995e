// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * What the plug-ins of one test class report, seen by all of their class loaders. Each test class has its own: they run
 * at the same time in one process.
 */
public final class PluginProbe {

  private static final Map<String, PluginProbe> PROBES = new ConcurrentHashMap<>();
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** A collection stops all tests of the process. */
  private static final long BETWEEN_COLLECTIONS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Queue<WeakReference<ClassLoader>> loaders = new ConcurrentLinkedQueue<>();
  private final Set<String> running = ConcurrentHashMap.newKeySet();

  /** How often a request was reconciled twice at once. */
  public final AtomicInteger overlaps = new AtomicInteger();

  /** How many attempts were made. */
  public final AtomicInteger attempts = new AtomicInteger();

  /** How many definitions were closed. */
  public final AtomicInteger closed = new AtomicInteger();

  private volatile boolean released;

  private PluginProbe() {}

  /** Returns the probe of a test class, for the test and for its plug-ins. */
  public static PluginProbe of(String test) {
    return PROBES.computeIfAbsent(test, _ -> new PluginProbe());
  }

  /** Returns a new one in its place. */
  public static PluginProbe reset(String test) {
    PROBES.remove(test);
    return of(test);
  }

  public void loaded(Object definition) {
    loaders.add(new WeakReference<>(definition.getClass().getClassLoader()));
  }

  public void begin(String key) {
    attempts.incrementAndGet();
    if (!running.add(key)) {
      overlaps.incrementAndGet();
    }
  }

  public void end(String key) {
    running.remove(key);
  }

  /** An attempt that ignores its cancellation and lasts until {@link #release}. */
  public void hold(String key) {
    begin(key);
    while (!released) {
      LockSupport.parkNanos(1_000_000); // returns at once while it is interrupted
    }
    end(key);
  }

  void release() {
    released = true;
  }

  /** Returns how many class loaders have loaded a definition. */
  public int loaders() {
    return loaders.size();
  }

  /** Returns when all class loaders but so many were collected. */
  public void awaitAlive(int count) {
    long end = System.nanoTime() + LIMIT_NANOS;
    for (List<String> alive = alive(); alive.size() != count; alive = alive()) {
      assertThat(System.nanoTime() - end).as("alive after 90 s: " + alive).isNegative();
      LockSupport.parkNanos(BETWEEN_COLLECTIONS_NANOS);
    }
  }

  private List<String> alive() {
    System.gc();
    return loaders.stream()
        .map(WeakReference::get)
        .filter(Objects::nonNull)
        .map(ClassLoader::getName)
        .toList();
  }
}
