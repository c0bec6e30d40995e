// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Permits the writes of controllers that not every replica runs: those of an attempt while this
 * replica owns the slot of the attempt, in the term in which the attempt was started. A write that
 * belongs to no attempt is refused.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
final class SlotGuard implements WriteGuard {

  private final ReplicaMembership membership;
  private final SlotWrites writes;
  private final WriteGuard unbound;
  private final AtomicLong refused = new AtomicLong();

  SlotGuard(ReplicaMembership membership, SlotWrites writes) {
    this.membership = membership;
    this.writes = writes;
    this.unbound = membership.guard();
  }

  /** Returns the attempt of the thread; empty for one of a controller that every replica runs. */
  private static Optional<ReconcileContext> attempt() {
    return CurrentAttempt.get().filter(attempt -> attempt.slot() >= 0);
  }

  @Override
  public Duration timeLeft() {
    Duration left = attempt().map(ReconcileContext::timeLeft).orElse(Duration.ZERO);
    Duration life = membership.requestLife();
    return left.compareTo(life) < 0 ? left : life;
  }

  @Override
  public String reason() {
    Optional<ReconcileContext> attempt = attempt();
    if (attempt.isEmpty()) {
      return "the write belongs to no attempt of the controller; run it on the thread of the"
          + " attempt, through context.bind(...), or through kubernetes.unbound()";
    }
    return attempt.get().timeLeft().isPositive() || !membership.problem().isEmpty()
        ? unbound.reason()
        : "this replica does not own slot " + attempt.get().slot() + " any more";
  }

  @Override
  public void refused() {
    refused.incrementAndGet();
  }

  /** Returns how many writes were refused. */
  long refusals() {
    return refused.get();
  }

  @Override
  public Consumer<Boolean> sending() {
    return attempt().map(attempt -> writes.sending(attempt.slot())).orElse(_ -> {});
  }

  @Override
  public WriteGuard unbound() {
    return unbound;
  }
}
