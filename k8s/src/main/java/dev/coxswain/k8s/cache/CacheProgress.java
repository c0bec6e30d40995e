// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

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

  /** Creates the progress of an empty cache. */
  public CacheProgress() {}

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
