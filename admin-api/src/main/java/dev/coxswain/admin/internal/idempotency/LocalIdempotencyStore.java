// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.idempotency;

import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the keys of this replica in memory, for a day at most. Confined to the admin event loop.
 */
public final class LocalIdempotencyStore implements IdempotencyStore {

  static final Duration VALIDITY = Duration.ofHours(24);
  public static final int MAX_KEYS = 4096;

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

  public LocalIdempotencyStore(Clock clock, int maxKeys) {
    this.clock = clock;
    this.maxKeys = maxKeys;
  }

  @Override
  public Future<Claim> claim(String key, String fingerprint) {
    expire();
    Entry known = entries.get(key);
    if (known == null) {
      if (entries.size() >= maxKeys && !evictAnswered()) {
        return Future.succeededFuture(new Claim.Full());
      }
      entries.put(key, new Entry(fingerprint, clock.nanos()));
      return Future.succeededFuture(new Claim.Taken());
    }
    if (!known.fingerprint.equals(fingerprint)) {
      return Future.succeededFuture(new Claim.OtherRequest());
    }
    Answer answer = known.answer;
    return Future.succeededFuture(
        answer == null ? new Claim.Running() : new Claim.Answered(answer));
  }

  @Override
  public void keep(String key, Answer answer) {
    Entry known = entries.get(key);
    if (known != null) {
      known.answer = answer;
    }
  }

  @Override
  public void release(String key) {
    entries.remove(key);
  }

  private void expire() {
    long now = clock.nanos();
    Iterator<Entry> oldest = entries.values().iterator();
    while (oldest.hasNext() && now - oldest.next().takenAt > VALIDITY.toNanos()) {
      oldest.remove();
    }
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
}
