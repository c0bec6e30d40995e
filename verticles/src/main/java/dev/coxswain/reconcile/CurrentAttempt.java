// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Optional;

/**
 * The attempt for which the current thread works: its reconciler's, for an asynchronous one during
 * the call, and that of a task made by {@link ReconcileContext#bind}. Write guards, log encoders and
 * traces read it.
 *
 * <p>Thread rule: any thread.
 */
public final class CurrentAttempt {

  private static final ScopedValue<ReconcileContext> CONTEXT = ScopedValue.newInstance();

  private CurrentAttempt() {}

  /** Returns the context of the attempt; empty outside of attempts. */
  public static Optional<ReconcileContext> get() {
    return CONTEXT.isBound() ? Optional.of(CONTEXT.get()) : Optional.empty();
  }

  /** Runs a task as a part of an attempt. */
  public static void run(ReconcileContext context, Runnable task) {
    ScopedValue.where(CONTEXT, context).run(task);
  }
}
