// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches decisions for a while. Requests for the same decision at the same time share one review.
 * Accepting and refusing decisions are cached apart, so that many refusals evict no acceptance;
 * failures are not cached. Confined to the admin event loop.
 */
final class DecisionCache<K, V> {

  private final Clock clock;
  private final Map<K, Cached<V>> good;
  private final Map<K, Cached<V>> bad;
  private final Map<K, Future<V>> running = new HashMap<>(); // bounded by the bulkhead of reviews

  private record Cached<V>(V answer, long since, long nanos) {}

  /**
   * A decision and how long it is valid.
   *
   * @param good whether it accepts
   */
  record Decision<V>(V value, boolean good, Duration validFor) {}

  DecisionCache(Clock clock, int maxEntries) {
    this.clock = clock;
    this.good = new RateLimits.Recent<>(maxEntries);
    this.bad = new RateLimits.Recent<>(maxEntries);
  }

  /** Returns the cached decision, or null. */
  @Nullable V cached(K key) {
    V answer = cached(good, key);
    return answer == null ? cached(bad, key) : answer;
  }

  /** Returns whether a review of a key is running. */
  boolean isReviewed(K key) {
    return running.containsKey(key);
  }

  /** Returns the decision of a new review, or of the running one. */
  Future<V> decide(K key, Supplier<Future<Decision<V>>> review) {
    Future<V> started = running.get(key);
    if (started != null) {
      return started;
    }
    Future<V> answer = review.get().map(found -> keep(key, found));
    if (!answer.isComplete()) {
      running.put(key, answer);
      answer.onComplete(done -> running.remove(key, answer));
    }
    return answer;
  }

  private V keep(K key, Decision<V> found) {
    long nanos = found.validFor().toNanos();
    if (nanos > 0) {
      (found.good() ? bad : good).remove(key);
      (found.good() ? good : bad).put(key, new Cached<>(found.value(), clock.nanos(), nanos));
    }
    return found.value();
  }

  private @Nullable V cached(Map<K, Cached<V>> answers, K key) {
    Cached<V> cached = answers.get(key);
    if (cached == null) {
      return null;
    }
    if (clock.nanos() - cached.since() >= cached.nanos()) {
      answers.remove(key);
      return null;
    }
    return cached.answer();
  }
}
