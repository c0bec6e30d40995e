// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import dev.coxswain.limiter.internal.bucket.PoolChange;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.spi.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The pools of one process, changed as a Hazelcast member changes them. */
public final class ProcessPool implements PoolOwner {
  private final Map<String, byte[]> states = new HashMap<>();
  private final Clock clock;

  /** Which process it is. */
  public long process = 1;

  public ProcessPool(Clock clock) {
    this.clock = clock;
  }

  public byte[] apply(String limiter, byte[] request) {
    PoolChange change = PoolChange.apply(limiter, states.get(limiter), request, this);
    if (change.state() != null) {
      states.put(limiter, change.state());
    }
    return change.reply();
  }

  /** The entry of a limiter is gone, as after the end of its owner and its backup. */
  public void lose(String limiter) {
    states.remove(limiter);
  }

  public byte[] state(String limiter) {
    return Objects.requireNonNull(states.get(limiter));
  }

  /** The entry is as it was before, as on a backup that lacks the last change. */
  public void restore(String limiter, byte[] state) {
    states.put(limiter, state);
  }

  @Override
  public long idHigh() {
    return process;
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

  @Override
  public boolean hasBackup(String limiter, int liveReplicas) {
    return true;
  }
}
