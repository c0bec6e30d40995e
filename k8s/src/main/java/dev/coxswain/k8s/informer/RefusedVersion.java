// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.spi.Clock;
import java.time.Duration;

/**
 * Decides when a watch is no longer resumed from a resource version: when the server has refused it
 * twice, or for half a minute. It may refuse this version for ever, for instance for an event that it
 * cannot read, and a list gets past it.
 *
 * <p>No response is no refusal, and a server that is overloaded has said nothing of the version; but
 * half a minute is the limit for that, too. Thread rule: confined to its reflector's thread.
 */
final class RefusedVersion {

  private static final int REFUSALS = 2;
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  private final Clock clock;
  private String version = "";
  private int refusals;
  private long since;

  RefusedVersion(Clock clock) {
    this.clock = clock;
  }

  /**
   * Counts a refusal.
   *
   * @param from the version from which the watch was requested; empty for a list
   */
  boolean isForGood(String from, ApiStatusException refusal) {
    if (from.isEmpty() || refusal.isNoAnswer()) {
      return false;
    }
    if (!from.equals(version)) {
      version = from;
      refusals = 0;
      since = clock.nanos();
    }
    if (refusal.code() != TOO_MANY_REQUESTS && refusal.code() != UNAVAILABLE) {
      refusals++;
    }
    boolean forGood = refusals >= REFUSALS || clock.nanos() - since >= LIMIT.toNanos();
    if (forGood) {
      version = "";
    }
    return forGood;
  }
}
