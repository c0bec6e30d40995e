// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of a pool in a backup.
 *
 * <p>Thread rule: one thread.
 */
final class CopyProcessor
    implements EntryProcessor<String, byte @Nullable [], byte[]>,
        HazelcastInstanceAware,
        IdentifiedDataSerializable {
  private static final long serialVersionUID = 1;
  private static final byte[] NOTHING = {};

  private byte[] bytes = NOTHING;
  private transient @Nullable PoolOwner owner;

  /** For deserialization. */
  CopyProcessor() {}

  CopyProcessor(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    owner = (PoolOwner) instance.getUserContext().get(ChangeProcessor.OWNER);
  }

  @Override
  public byte[] process(Map.Entry<String, byte @Nullable []> entry) {
    entry.setValue(bytes);
    PoolOwner here = owner;
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
  public int getFactoryId() {
    return PoolSerializers.FACTORY;
  }

  @Override
  public int getClassId() {
    return PoolSerializers.COPY;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByteArray(bytes);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    byte[] read = in.readByteArray();
    bytes = read == null ? NOTHING : read;
  }
}
