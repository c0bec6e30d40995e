// SPDX-License-Identifier: Apache-2.0
// What limiters looked like since the dashboard was opened; the host keeps no history of them.

const POINTS = 180;

/** A ring of points for each limiter: `{at, tokens, waiters, granted, rate, perSecond}`; `granted` is a map from replicas. */
export class History {
  #rings = new Map();

  /** Remembers how limiters are now. */
  sample(limiters) {
    const at = Date.now();
    for (const { name, tokens, waiters, granted: all, replicas, refillPerSecond: rate } of limiters) {
      const ring = this.#rings.get(name) ?? [];
      this.#rings.set(name, ring);
      const before = ring.at(-1);
      const granted = new Map(replicas?.length > 0 ? replicas.map(one => [one.name, one.granted]) : [['', all]]);
      const started = before ? increase(before.granted, granted) : null;
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

/** What replicas have granted since; the sum would jump when one dies or is back. Null when none was there before. */
function increase(before, now) {
  const both = [...now].filter(([replica, granted]) => granted >= (before.get(replica) ?? Infinity));
  return both.length === 0 ? null : both.reduce((sum, [replica, granted]) => sum + granted - before.get(replica), 0);
}
