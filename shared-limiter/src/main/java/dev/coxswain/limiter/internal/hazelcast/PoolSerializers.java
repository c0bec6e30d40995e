// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import org.jspecify.annotations.Nullable;

/**
 * The serializable classes, by ids that never change: during a roll-out old and new replicas run
 * them together. Their bytes have a version of their own.
 */
final class PoolSerializers implements DataSerializableFactory {
  static final int FACTORY = 0x5C0;
  static final int CHANGE = 1;
  static final int COPY = 2;
  static final int MERGE = 3;

  @Override
  public @Nullable IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case CHANGE -> new ChangeProcessor();
      case COPY -> new CopyProcessor();
      case MERGE -> new LargerDebtPolicy();
      default -> null;
    };
  }
}
