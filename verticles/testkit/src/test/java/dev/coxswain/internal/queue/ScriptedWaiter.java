// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.retry.RetryBudget;

/** A waiter with a scripted number of tokens. */
final class ScriptedWaiter implements RetryBudget.Waiter {
  int tokens;
  int requests;
  int withdrawn;
  long reserveNanos;

  @Override
  public long tryAcquire(int waiting) {
    requests++;
    if (tokens > 0) {
      tokens--;
      return 0;
    }
    return 1;
  }

  @Override
  public long reserve() {
    return reserveNanos;
  }

  @Override
  public void withdraw() {
    withdrawn++;
  }

  @Override
  public long estimateNanos(int position) {
    return position;
  }

  @Override
  public void close() {}
}
