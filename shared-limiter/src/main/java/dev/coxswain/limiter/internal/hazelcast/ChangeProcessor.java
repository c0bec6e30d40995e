// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.map.EntryProcessor;
import dev.coxswain.limiter.internal.bucket.PoolChange;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Applies a {@link PoolChange} on the member that stores the pool. Backups receive the resulting
 * bytes, not the change, because their clock differs.
 *
 * <p>Thread rule: one thread; a new one for each call.
 */
public final class ChangeProcessor extends PoolProcessor {
  private static final long serialVersionUID = 1;

  private transient byte @Nullable [] stored;

  /** For deserialization. */
  ChangeProcessor() {
    super(NOTHING);
  }

  public ChangeProcessor(byte[] request) {
    super(request);
  }

  @Override
  public byte[] process(Map.Entry<String, byte @Nullable []> entry) {
    PoolOwner here = owner();
    if (here == null) {
      throw new IllegalStateException(
          "the member is not ready"); // it has joined, and the owner is not set yet
    }
    PoolChange change = PoolChange.apply(entry.getKey(), entry.getValue(), bytes(), here);
    stored = change.state();
    if (stored != null) {
      entry.setValue(stored);
      here.stored(entry.getKey(), false);
    }
    return change.reply();
  }

  @Override
  public @Nullable EntryProcessor<String, byte @Nullable [], byte[]> getBackupProcessor() {
    byte[] bytes = stored;
    return bytes == null ? null : new CopyProcessor(bytes);
  }

  @Override
  public int getClassId() {
    return PoolSerializers.CHANGE;
  }
}
