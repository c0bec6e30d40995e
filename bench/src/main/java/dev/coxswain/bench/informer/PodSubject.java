// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

/**
 * A cache of all pods. Depends on nothing but the JDK, because a subject may need a class path of
 * its own.
 *
 * <p>Thread rule: one thread.
 */
public interface PodSubject extends AutoCloseable {
  /**
   * Starts to fill the cache.
   *
   * @param url the address of the API server
   * @param received called on any thread for each pod that a handler receives
   */
  void start(String url, Runnable received);

  /** Returns whether the cache reports that it has synced. */
  boolean synced();

  /** Returns how many pods the cache holds. */
  int size();

  /** Stops; the cache may be forgotten. */
  @Override
  void close();
}
