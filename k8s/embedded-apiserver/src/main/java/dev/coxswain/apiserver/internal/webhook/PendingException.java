// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.webhook;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A verb cannot go on before webhooks have answered. It has changed nothing. When the calls are
 * made, the request is handled again from its beginning. Immutable.
 */
public final class PendingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Supplier<Future<?>>> calls;

  /**
   * Creates an exception for one call.
   *
   * @param call makes the call and keeps its result where the verb finds it
   */
  public PendingException(Supplier<Future<?>> call) {
    this(List.of(call));
  }

  private PendingException(List<Supplier<Future<?>>> calls) {
    super("webhooks have to be called", null, false, false);
    this.calls = List.copyOf(calls);
  }

  /** Runs several parts of a verb and throws what all of them need, at once. */
  public static void gather(List<? extends Runnable> parts) {
    List<Supplier<Future<?>>> all = new ArrayList<>();
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (PendingException e) {
        all.addAll(e.calls);
      }
    }
    if (!all.isEmpty()) {
      throw new PendingException(all);
    }
  }

  /** Makes the calls; completes when all have ended, and never fails. */
  public Future<?> resolve() {
    List<Future<?>> made = new ArrayList<>();
    for (Supplier<Future<?>> call : calls) {
      made.add(call.get());
    }
    return Future.join(made).otherwiseEmpty();
  }
}
