// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** What plug-ins of tests report, seen by all of their class loaders. */
public final class PluginProbe {

  private static final Queue<WeakReference<ClassLoader>> LOADERS = new ConcurrentLinkedQueue<>();
  private static final Set<String> RUNNING = ConcurrentHashMap.newKeySet();

  /** How often a request was reconciled twice at once. */
  public static final AtomicInteger OVERLAPS = new AtomicInteger();

  /** How many attempts were made. */
  public static final AtomicInteger ATTEMPTS = new AtomicInteger();

  /** How many definitions were closed. */
  public static final AtomicInteger CLOSED = new AtomicInteger();

  private static volatile boolean released;

  private PluginProbe() {}

  public static void loaded(Object definition) {
    LOADERS.add(new WeakReference<>(definition.getClass().getClassLoader()));
  }

  public static void begin(String key) {
    ATTEMPTS.incrementAndGet();
    if (!RUNNING.add(key)) {
      OVERLAPS.incrementAndGet();
    }
  }

  public static void end(String key) {
    RUNNING.remove(key);
  }

  /** An attempt that ignores its cancellation and lasts until {@link #release}. */
  public static void hold(String key) {
    begin(key);
    while (!released) {
      LockSupport.parkNanos(1_000_000); // returns at once while it is interrupted
    }
    end(key);
  }

  static void release() {
    released = true;
  }

  public static void reset() {
    released = false;
    LOADERS.clear();
    RUNNING.clear();
    OVERLAPS.set(0);
    ATTEMPTS.set(0);
    CLOSED.set(0);
  }

  /** Returns how many class loaders have loaded a definition. */
  public static int loaders() {
    return LOADERS.size();
  }

  /** Returns the class loaders that were not collected. */
  public static List<String> alive() {
    System.gc();
    List<String> alive = new ArrayList<>();
    LOADERS.forEach(one -> {
      ClassLoader loader = one.get();
      if (loader != null) {
        alive.add(loader.getName());
      }
    });
    return alive;
  }
}
