// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.merge.MergingValue;
import com.hazelcast.spi.merge.SplitBrainMergePolicy;
import dev.coxswain.limiter.internal.bucket.Bucket;
import org.jspecify.annotations.Nullable;

/**
 * Merges pools when two parts of a cluster join again: the larger debt is kept, and no time is
 * assumed to have passed.
 *
 * <p>Thread rule: any thread; stateless.
 */
public final class LargerDebtPolicy
    implements SplitBrainMergePolicy<byte[], MergingValue<byte[]>, byte @Nullable []>,
        IdentifiedDataSerializable {

  /** For Hazelcast. */
  LargerDebtPolicy() {}

  @Override
  public byte @Nullable [] merge(
      MergingValue<byte[]> merging, @Nullable MergingValue<byte[]> existing) {
    return merge(
        merging.getDeserializedValue(), existing == null ? null : existing.getDeserializedValue());
  }

  public static byte @Nullable [] merge(byte @Nullable [] merging, byte @Nullable [] existing) {
    Bucket a = merging == null ? null : Bucket.decode(merging);
    Bucket b = existing == null ? null : Bucket.decode(existing);
    if (a == null || b == null) {
      return b != null || a == null ? existing : merging;
    }
    return Bucket.merged(a, b).encode();
  }

  @Override
  public int getFactoryId() {
    return PoolSerializers.FACTORY;
  }

  @Override
  public int getClassId() {
    return PoolSerializers.MERGE;
  }

  @Override
  public void writeData(ObjectDataOutput out) {}

  @Override
  public void readData(ObjectDataInput in) {}
}
