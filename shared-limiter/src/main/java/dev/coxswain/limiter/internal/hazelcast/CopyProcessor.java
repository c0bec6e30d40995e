// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.map.EntryProcessor;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of a pool in a backup.
 *
 * <p>Thread rule: one thread.
 */
final class CopyProcessor extends PoolProcessor {
  private static final long serialVersionUID = 1;

  /** For deserialization. */
  CopyProcessor() {
    super(NOTHING);
  }

  CopyProcessor(byte[] bytes) {
    super(bytes);
  }

  @Override
  public byte[] process(Map.Entry<String, byte @Nullable []> entry) {
    entry.setValue(bytes());
    PoolOwner here = owner();
    if (here != null) { // null while the member starts; the bytes are stored all the same
      here.stored(entry.getKey(), true);
    }
    return NOTHING;
  }

  @Override
  public @Nullable EntryProcessor<String, byte @Nullable [], byte[]> getBackupProcessor() {
    return null;
  }

  @Override
  public int getClassId() {
    return PoolSerializers.COPY;
  }
}
