// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import java.nio.ByteBuffer;

/**
 * The identity of a pool's entry: no two entries that were ever created have the same, so an entry
 * that takes the place of a lost one is recognized as another one.
 *
 * <p>Thread rule: immutable.
 *
 * @param ownerHigh the process that created the entry
 * @param ownerLow the process that created the entry, the other half
 * @param createdNanos when, by the monotonic clock of that process
 */
public record EntryId(long ownerHigh, long ownerLow, long createdNanos) {
  static final int SIZE = 3 * 8;

  /** No entry. */
  static final EntryId NONE = new EntryId(0, 0, 0);

  static EntryId read(ByteBuffer in) {
    return new EntryId(in.getLong(), in.getLong(), in.getLong());
  }

  ByteBuffer write(ByteBuffer out) {
    return out.putLong(ownerHigh).putLong(ownerLow).putLong(createdNanos);
  }
}
