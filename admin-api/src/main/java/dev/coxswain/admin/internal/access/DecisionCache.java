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
 * Remembers the answers to questions for a while, and asks once for all who want to know the same
 * at the same time. Good and bad answers are kept apart, so that a flood of bad ones does not make
 * it forget a good one; failures are not remembered. Confined to the admin event loop.
 */
final class DecisionCache<K, V> {

  private final Clock clock;
  private final Map<K, Known<V>> good;
  private final Map<K, Known<V>> bad;
  private final Map<K, Future<V>> asked = new HashMap<>(); // as many as there are review slots

  private record Known<V>(V answer, long since, long nanos) {}

  /**
   * An answer with how long it holds.
   *
   * @param good whether it lets somebody in
   */
  record Answer<V>(V value, boolean good, Duration holds) {}

  DecisionCache(Clock clock, int maxEntries) {
    this.clock = clock;
    this.good = new RateLimits.Recent<>(maxEntries);
    this.bad = new RateLimits.Recent<>(maxEntries);
  }

  /** Returns the answer when it is known, or null. */
  @Nullable V known(K question) {
    V answer = known(good, question);
    return answer == null ? known(bad, question) : answer;
  }

  /** Returns whether somebody asks this just now. */
  boolean beingAsked(K question) {
    return asked.containsKey(question);
  }

  /** Returns the answer, asking for it when nobody does yet. */
  Future<V> ask(K question, Supplier<Future<Answer<V>>> review) {
    Future<V> running = asked.get(question);
    if (running != null) {
      return running;
    }
    Future<V> answer = review.get().map(found -> keep(question, found));
    if (!answer.isComplete()) {
      asked.put(question, answer);
      answer.onComplete(done -> asked.remove(question, answer));
    }
    return answer;
  }

  private V keep(K question, Answer<V> found) {
    long nanos = found.holds().toNanos();
    if (nanos > 0) {
      (found.good() ? bad : good).remove(question);
      (found.good() ? good : bad).put(question, new Known<>(found.value(), clock.nanos(), nanos));
    }
    return found.value();
  }

  private @Nullable V known(Map<K, Known<V>> answers, K question) {
    Known<V> known = answers.get(question);
    if (known == null) {
      return null;
    }
    if (clock.nanos() - known.since() >= known.nanos()) {
      answers.remove(question);
      return null;
    }
    return known.answer();
  }
}
