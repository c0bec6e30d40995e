// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.time.Clock;
import java.util.HashMap;
import java.util.Map;

/** The pools of one process, changed as a Hazelcast member changes them. */
final class ProcessPool implements PoolOwner {
  private final Map<String, byte[]> states = new HashMap<>();
  private final Clock clock;

  ProcessPool(Clock clock) {
    this.clock = clock;
  }

  byte[] apply(String limiter, byte[] request) {
    PoolChange change = PoolChange.apply(limiter, states.get(limiter), request, this);
    if (change.state() != null) {
      states.put(limiter, change.state());
    }
    return change.reply();
  }

  @Override
  public long idHigh() {
    return 1;
  }

  @Override
  public long idLow() {
    return 2;
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public boolean hasMajority(int liveReplicas) {
    return true;
  }
}
