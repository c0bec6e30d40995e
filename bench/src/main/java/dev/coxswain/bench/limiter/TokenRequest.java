// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/** A request for a token. Confined to the event loop. */
final class TokenRequest {
  long requestedAt;

  /** How long calls to the limiter have held up the event loop for it. */
  long heldNanos;

  /** Receives grants, on the event loop. */
  interface Granted {
    void granted(TokenRequest request, long at);
  }
}
