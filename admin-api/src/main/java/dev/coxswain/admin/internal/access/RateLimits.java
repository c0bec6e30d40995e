// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.spi.Clock;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A token bucket for each of the latest callers, with a burst of twice the rate. A caller that was
 * evicted starts with a full bucket. Confined to the admin event loop.
 */
final class RateLimits<K> {

  private static final double NANOS = 1e9;

  private final Clock clock;
  private final double rate;
  private final double burst;
  private final Map<K, Bucket> buckets;

  private static final class Bucket {
    private double tokens;
    private long at;

    Bucket(double tokens, long at) {
      this.tokens = tokens;
      this.at = at;
    }
  }

  /**
   * Creates limits.
   *
   * @param perSecond the rate of each caller
   * @param maxCallers the number of callers that are kept
   */
  RateLimits(Clock clock, int perSecond, int maxCallers) {
    this.clock = clock;
    this.rate = perSecond;
    this.burst = 2.0 * perSecond;
    this.buckets = new Recent<>(maxCallers);
  }

  /** Takes a token; returns whether there was one. */
  boolean take(K caller) {
    Bucket bucket = filled(caller);
    if (bucket.tokens < 1) {
      return false;
    }
    bucket.tokens--;
    return true;
  }

  /** Returns a token to the bucket. */
  void giveBack(K caller) {
    Bucket bucket = filled(caller);
    bucket.tokens = Math.min(burst, bucket.tokens + 1);
  }

  /** Returns the whole seconds until the next token. */
  long retryAfter() {
    return Math.max(1, (long) Math.ceil(1 / rate));
  }

  private Bucket filled(K caller) {
    long now = clock.nanos();
    Bucket bucket = buckets.computeIfAbsent(caller, c -> new Bucket(burst, now));
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / NANOS * rate);
    bucket.at = now;
    return bucket;
  }

  /** Evicts the least recently used entry. */
  static final class Recent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int max;

    Recent(int max) {
      super(16, 0.75f, true);
      this.max = max;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > max;
    }
  }
}
