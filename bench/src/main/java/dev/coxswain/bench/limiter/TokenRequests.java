// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * The requests of one member for tokens of one limiter.
 *
 * <p>Thread rule: confined to the event loop.
 */
interface TokenRequests {
  /** Adds a request; the grant may be reported before this returns. */
  void request(TokenRequest request);

  /** Returns how many calls failed. */
  long failed();

  /** Drops the waiting requests; no grant is reported any more. */
  void close();
}
