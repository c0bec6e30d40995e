// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.idempotency;

import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The idempotency keys of this replica with their responses, in memory, for a day. Confined to the
 * admin event loop.
 */
final class IdempotencyStore {

  static final int MAX_KEYS = 4096;
  static final Duration VALIDITY = Duration.ofHours(24);

  /** The result of an attempt to claim a key. */
  sealed interface Claim {
    /** The key is new: the request must be carried out. */
    record Taken() implements Claim {}

    /** The same request has claimed the key and has no response yet. */
    record Running() implements Claim {}

    /** Another request has claimed the key. */
    record OtherRequest() implements Claim {}

    /** The same request has this response. */
    record Answered(Answer answer) implements Claim {}

    /** All keys are in use by requests without a response. */
    record Full() implements Claim {}
  }

  /**
   * A stored response.
   *
   * @param body its value, or null for none
   * @param headers the headers of this response only
   */
  record Answer(int status, @Nullable Object body, Map<String, String> headers) {}

  private static final class Entry {
    final String fingerprint;
    final long takenAt;
    @Nullable Answer answer;

    Entry(String fingerprint, long takenAt) {
      this.fingerprint = fingerprint;
      this.takenAt = takenAt;
    }
  }

  private final Clock clock;
  private final int maxKeys;
  private final Map<String, Entry> entries = new LinkedHashMap<>(); // the oldest first

  IdempotencyStore(Clock clock, int maxKeys) {
    this.clock = clock;
    this.maxKeys = maxKeys;
  }

  /**
   * Claims a key for one request.
   *
   * @param key a digest of the key and its user
   * @param fingerprint a digest of the request
   */
  Claim claim(String key, String fingerprint) {
    long now = clock.nanos();
    Iterator<Entry> oldest = entries.values().iterator();
    while (oldest.hasNext() && now - oldest.next().takenAt > VALIDITY.toNanos()) {
      oldest.remove();
    }
    Entry known = entries.get(key);
    if (known == null) {
      if (entries.size() >= maxKeys && !evictAnswered()) {
        return new Claim.Full();
      }
      entries.put(key, new Entry(fingerprint, now));
      return new Claim.Taken();
    }
    if (!known.fingerprint.equals(fingerprint)) {
      return new Claim.OtherRequest();
    }
    Answer answer = known.answer;
    return answer == null ? new Claim.Running() : new Claim.Answered(answer);
  }

  private boolean evictAnswered() {
    Iterator<Entry> oldest = entries.values().iterator();
    while (oldest.hasNext()) {
      if (oldest.next().answer != null) {
        oldest.remove();
        return true;
      }
    }
    return false;
  }

  /** Stores the response of the request that claimed a key. */
  void keep(String key, Answer answer) {
    Entry known = entries.get(key);
    if (known != null) {
      known.answer = answer;
    }
  }

  /** Removes a key whose request changed nothing. */
  void release(String key) {
    entries.remove(key);
  }
}
