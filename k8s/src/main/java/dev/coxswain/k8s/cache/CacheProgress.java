// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import java.util.function.Predicate;

/**
 * The progress of a cache: the version up to which it has followed the server.
 *
 * <p>Thread rule: written by the cache's reflector, read by any thread. The cache is updated before
 * its progress.
 */
public final class CacheProgress {

  private volatile String version = "";
  private volatile long begun;
  private volatile long complete;

  private final Predicate<String> misses;

  /** Creates the progress of an empty cache. */
  public CacheProgress() {
    this(_ -> false);
  }

  /**
   * Creates the progress of an empty cache.
   *
   * @param misses whether earlier changes in a namespace may not have been received than the last one
   */
  public CacheProgress(Predicate<String> misses) {
    this.misses = misses;
  }

  /** Counts the beginning of a list. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the reflector's thread alone writes
  public void listBegins() {
    begun++;
  }

  /** The last list is in the cache. */
  public void listed(String seen) {
    version = seen;
    complete = begun;
  }

  /** All changes up to this version are in the cache. */
  public void watched(String seen) {
    version = seen;
  }

  /** Returns the version up to which everything is in the cache; empty before the first list. */
  public String version() {
    return version;
  }

  /** Returns the version up to which everything of a namespace is in the cache; empty while it is unknown. */
  public String version(String namespace) {
    return misses.test(namespace) ? "" : version;
  }

  /** Returns how many lists have begun. */
  public long listsBegun() {
    return begun;
  }

  /**
   * Returns whether the cache holds a list that began after this count was read, and therefore
   * everything that was stored by then.
   */
  public boolean hasListedSince(long listsBegun) {
    return complete > listsBegun;
  }
}
