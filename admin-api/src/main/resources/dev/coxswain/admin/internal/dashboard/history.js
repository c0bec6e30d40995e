// SPDX-License-Identifier: Apache-2.0
// What limiters looked like since the dashboard was opened; the host keeps no history of them.

const POINTS = 180;

/** A ring of points for each limiter: `{at, tokens, waiters, granted, rate, perSecond}`. */
export class History {
  #rings = new Map();

  /** Remembers how limiters are now. */
  sample(limiters) {
    const at = Date.now();
    for (const { name, tokens, waiters, granted, refillPerSecond: rate } of limiters) {
      const ring = this.#rings.get(name) ?? [];
      this.#rings.set(name, ring);
      const before = ring.at(-1);
      const started = before && granted >= before.granted ? granted - before.granted : null;
      ring.push({ at, tokens, waiters, granted, rate, perSecond: started === null ? null : (started * 1000) / (at - before.at) });
      if (ring.length > POINTS) {
        ring.shift();
      }
    }
  }

  /** The points of a limiter, the oldest first. */
  of(name) {
    return this.#rings.get(name) ?? [];
  }
}
