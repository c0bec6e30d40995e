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
import org.jspecify.annotations.Nullable;

/**
 * A processor of the entry of a pool that travels as bytes.
 *
 * <p>Thread rule: one thread; a new one for each call.
 */
abstract class PoolProcessor
    implements EntryProcessor<String, byte @Nullable [], byte[]>,
        HazelcastInstanceAware,
        IdentifiedDataSerializable {
  private static final long serialVersionUID = 1;

  /** The key of the {@link PoolOwner} in the user context of a member. */
  static final String OWNER = "coxswain.limiter.owner";

  static final byte[] NOTHING = {};

  private byte[] bytes;
  private transient @Nullable PoolOwner owner;

  PoolProcessor(byte[] bytes) {
    this.bytes = bytes;
  }

  final byte[] bytes() {
    return bytes;
  }

  /** Returns the owner of the pools on this member; null while the member starts. */
  final @Nullable PoolOwner owner() {
    return owner;
  }

  @Override
  public final void setHazelcastInstance(HazelcastInstance instance) {
    owner = (PoolOwner) instance.getUserContext().get(OWNER);
  }

  @Override
  public final int getFactoryId() {
    return PoolSerializers.FACTORY;
  }

  @Override
  public final void writeData(ObjectDataOutput out) throws IOException {
    out.writeByteArray(bytes);
  }

  @Override
  public final void readData(ObjectDataInput in) throws IOException {
    byte[] read = in.readByteArray();
    bytes = read == null ? NOTHING : read;
  }
}
