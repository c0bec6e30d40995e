// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.spi.Slots;
import java.time.Duration;

/**
 * The ownership of all requests by one process: one slot, one term, until it ends.
 *
 * <p>Thread rule: any thread.
 */
final class OwnTerm implements SlotTerm, Slots, WriteGuard {

  private final long epoch;
  private volatile boolean ended;

  OwnTerm(long epoch) {
    this.epoch = epoch;
  }

  void end() {
    ended = true;
  }

  @Override
  public int slot() {
    return 0;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public Duration timeLeft() {
    return ended ? Duration.ZERO : WriteGuard.UNLIMITED;
  }

  @Override
  public String reason() {
    return "another replica owns the request since epoch " + (epoch + 1);
  }

  /** Writes that belong to no attempt are not guarded here, so that a report can show them. */
  @Override
  public WriteGuard unbound() {
    return WriteGuard.OPEN;
  }

  @Override
  public int count() {
    return 1;
  }

  @Override
  public int slotOf(String namespace, String name) {
    return 0;
  }

  @Override
  public boolean mayStart() {
    return !ended;
  }
}
