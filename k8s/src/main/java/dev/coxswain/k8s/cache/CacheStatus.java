// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import java.time.Instant;
import java.util.Optional;

/**
 * How a cache is doing, for health checks, metrics and people.
 *
 * <p>Thread rule: immutable.
 *
 * @param name what the cache holds
 * @param phase what its reflector is doing
 * @param synced whether it has held a complete list at least once
 * @param objects how many objects it holds
 * @param bytes how much JSON it holds
 * @param users how many have asked for it and not given it back
 * @param lists how many complete lists it has read
 * @param watches how many watches it has opened
 * @param undecodable how many objects were skipped because they do not fit the class
 * @param indexFailures how often an index threw; the object is kept, and queries of that index fail
 * @param lastError the last failure of the reflector, empty when it has recovered
 * @param lastContact when the API server was last heard of, or when the cache was started
 */
public record CacheStatus(
    String name,
    Phase phase,
    boolean synced,
    int objects,
    long bytes,
    int users,
    long lists,
    long watches,
    long undecodable,
    long indexFailures,
    String lastError,
    Instant lastContact) {

  /** Returns what keeps the cache from being complete and current, for people. */
  public Optional<String> problem() {
    return switch (phase) {
      case WAITING_FOR_API -> Optional.of("waits for the resource to be installed: " + lastError);
      case STOPPED ->
          users == 0
              ? Optional.empty()
              : Optional.of("was stopped while it is in use: what it holds grows old");
      case STARTING, LISTING, WATCHING, BACKING_OFF ->
          lastError.isEmpty()
              ? (synced ? Optional.empty() : Optional.of("has not read all objects yet"))
              : Optional.of(lastError + "; it keeps trying");
    };
  }

  /** Returns why the cache does not follow the server although it is in use; for people. */
  public Optional<String> failure() {
    return phase == Phase.STOPPED ? problem() : Optional.empty();
  }

  /** What a reflector is doing. */
  public enum Phase {
    /** Nothing has been read yet. */
    STARTING,
    /** Reading everything. */
    LISTING,
    /** Following changes. */
    WATCHING,
    /** Something failed; waiting to try again. */
    BACKING_OFF,
    /** The resource is not installed; looking for it again and again. */
    WAITING_FOR_API,
    /** Nobody uses it any more. */
    STOPPED
  }
}
