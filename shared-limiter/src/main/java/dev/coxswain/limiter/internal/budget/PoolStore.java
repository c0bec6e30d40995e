// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import java.util.concurrent.CompletionStage;

/**
 * Stores the state of the pools: Hazelcast, or memory in tests.
 *
 * <p>Thread rule: any thread except event loops, because a call may block.
 */
public interface PoolStore {
  /**
   * Applies a request to the state of a pool on the process that owns it.
   *
   * @param limiter the name of the limiter
   * @param request the bytes of a {@link PoolRequest}
   * @return the bytes of a {@link PoolReply}; always completes, on any thread, possibly late. It
   *     fails when the change is not certainly stored with its backup
   */
  CompletionStage<byte[]> apply(String limiter, byte[] request);
}
