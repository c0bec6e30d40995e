// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import dev.coxswain.limiter.internal.bucket.PoolChange;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Applies a {@link PoolChange} on the member that stores the pool. Backups receive the resulting
 * bytes, not the change, because their clock differs.
 *
 * <p>Thread rule: one thread; a new one for each call.
 */
public final class ChangeProcessor
    implements EntryProcessor<String, byte @Nullable [], byte[]>,
        HazelcastInstanceAware,
        IdentifiedDataSerializable {
  private static final long serialVersionUID = 1;

  /** The key of the {@link PoolOwner} in the user context of a member. */
  static final String OWNER = "coxswain.limiter.owner";

  private byte[] request = {};
  private transient @Nullable PoolOwner owner;
  private transient byte @Nullable [] stored;

  /** For deserialization. */
  ChangeProcessor() {}

  public ChangeProcessor(byte[] request) {
    this.request = request;
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    owner = (PoolOwner) instance.getUserContext().get(OWNER);
  }

  @Override
  public byte[] process(Map.Entry<String, byte @Nullable []> entry) {
    PoolOwner here = owner;
    if (here == null) {
      throw new IllegalStateException(
          "the member is not ready"); // it has joined, and the owner is not set yet
    }
    PoolChange change = PoolChange.apply(entry.getKey(), entry.getValue(), request, here);
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
  public int getFactoryId() {
    return PoolSerializers.FACTORY;
  }

  @Override
  public int getClassId() {
    return PoolSerializers.CHANGE;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByteArray(request);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    byte[] read = in.readByteArray();
    request = read == null ? new byte[0] : read;
  }
}
