// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

/**
 * How far a cache has followed the server.
 *
 * <p>Thread rule: written by the cache's reflector, read by any thread. What is told here has
 * reached the cache before.
 */
public final class CacheProgress {

  private volatile String version = "";
  private volatile long begun;
  private volatile long complete;

  /** Creates the progress of a cache that has heard nothing. */
  public CacheProgress() {}

  /** A list of everything is asked for now. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the reflector's thread alone writes
  public void listBegins() {
    begun++;
  }

  /** The list that began last is in the cache. */
  public void listed(String seen) {
    version = seen;
    complete = begun;
  }

  /** Everything up to this version is in the cache. */
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
   * Returns whether the cache holds a list that began later than at the moment when so many had
   * begun: it holds whatever had been stored by then.
   */
  public boolean hasListedSince(long listsBegun) {
    return complete > listsBegun;
  }
}
