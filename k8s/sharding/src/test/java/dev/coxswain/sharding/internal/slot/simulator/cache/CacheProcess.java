// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator.cache;

/** The process of a cache. */
public interface CacheProcess {

  /** Runs an action after a time in milliseconds, unless the process has ended; when it goes on, if it stands still. */
  void later(long time, Runnable action);

  /** Returns whether it does not reach the server. */
  boolean isCut();

  /** Returns the time in milliseconds. */
  long now();
}
