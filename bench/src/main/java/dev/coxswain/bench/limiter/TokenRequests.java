// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * The requests of one member for tokens of one limiter.
 *
 * <p>Thread rule: confined to the event loop.
 */
interface TokenRequests {
  /** A request for a token. */
  final class One {
    long requestedAt;

    /** How long calls to the limiter have held up the event loop for it. */
    long heldNanos;
  }

  /** Receives grants, on the event loop. */
  interface Granted {
    void granted(One request, long at);
  }

  /** Adds a request; the grant may be reported before this returns. */
  void request(One request);

  long failed();

  /** Drops the waiting requests; no grant is reported any more. */
  void close();
}
