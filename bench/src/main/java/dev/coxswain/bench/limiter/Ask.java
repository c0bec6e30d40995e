// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/** Somebody who wants a grant. Confined to the event loop. */
final class Ask {
  long askedAt;

  /** How long calls to the limiter have held up the event loop for it. */
  long heldNanos;

  /** Who is told, on the event loop. */
  interface Granted {
    void granted(Ask ask, long at);
  }
}
