// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.errorbackoff;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.reconcile.TerminalException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Ends each attempt as the spec of the object defines.
 *
 * <p>Thread rule: as its two functions.
 *
 * @param trials finds an object
 * @param ready reports an object as ready
 */
record TrialReconciler(Function<Request, Optional<Trial>> trials, Consumer<Trial> ready)
    implements Reconciler<Request> {

  @Override
  public Result reconcile(Request request, ReconcileContext context) throws Exception {
    Optional<Trial> found = trials.apply(request);
    if (found.isEmpty()) {
      // Deleted; there is nothing to clean up.
      return Result.done();
    }
    Trial trial = found.get();
    Trial.Spec spec = trial.spec();
    return switch (spec.outcomeOrDone()) {
      case Done -> {
        ready.accept(trial);
        yield Result.done();
      }
      case Requeue -> Result.requeue();
      case RequeueAfter -> {
        ready.accept(trial);
        yield Result.requeueAfter(spec.after());
      }
      case Error -> throw new TrialFailure(reason(spec));
      case RetryAfter -> throw new RetryAfterException(spec.after(), reason(spec));
      case Terminal -> throw new TerminalException(reason(spec));
    };
  }

  private static String reason(Trial.Spec spec) {
    String message = spec.message();
    return "spec.outcome is " + spec.outcomeOrDone() + (message == null ? "" : ": " + message);
  }

  /** The failure of an object whose outcome is {@code Error}. */
  static final class TrialFailure extends Exception {
    private static final long serialVersionUID = 1;

    TrialFailure(String message) {
      super(message);
    }
  }
}
