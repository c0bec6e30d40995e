// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import java.util.concurrent.CompletionStage;

/**
 * Where the state of the pools is kept: Hazelcast, or this process in tests.
 *
 * <p>Thread rule: any thread, but no event loop: a call may take long before it returns.
 */
public interface PoolStore {
  /**
   * Applies a request to the state of a pool on the process that owns it.
   *
   * @param limiter the name of the limiter
   * @param request the bytes of a {@link PoolRequest}
   * @return the bytes of a {@link PoolReply}; completes on any thread, maybe very late, but at
   *     last. It fails when it is not certain that the change has been stored by a majority
   */
  CompletionStage<byte[]> apply(String limiter, byte[] request);
}
