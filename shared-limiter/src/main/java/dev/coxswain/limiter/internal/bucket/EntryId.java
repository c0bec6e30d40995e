// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import java.nio.ByteBuffer;

/**
 * The identity of a pool's entry. It is unique, so an entry that replaces a lost one is recognized
 * as a new one.
 *
 * <p>Thread rule: immutable.
 *
 * @param ownerHigh the id of the process that created the entry, upper half
 * @param ownerLow the lower half of that id
 * @param createdNanos the time of creation, by the monotonic clock of that process
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
