// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.errorbackoff;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A resource whose spec chooses the outcome of each attempt to reconcile it.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "error-backoff.coxswain.dev", version = "v1", plural = "trials")
public final class Trial extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  /** The outcome of an attempt, as {@code spec.outcome} names it. */
  public enum Outcome {
    /** The object is ready. */
    Done,
    /** The object is not ready, and nothing failed. */
    Requeue,
    /** The object is ready, and is looked at again after {@code spec.afterSeconds}. */
    RequeueAfter,
    /** The attempt fails. */
    Error,
    /** The attempt fails and must not be repeated before {@code spec.afterSeconds}. */
    RetryAfter,
    /** The attempt fails, and no retry can cure it. */
    Terminal
  }

  /**
   * The desired state.
   *
   * @param message any text
   * @param outcome how each attempt ends; null for {@link Outcome#Done}
   * @param afterSeconds the delay of {@link Outcome#RequeueAfter} and {@link Outcome#RetryAfter}
   */
  public record Spec(@Nullable String message, @Nullable Outcome outcome, long afterSeconds) {

    /** Creates a spec without a delay. */
    public Spec(@Nullable String message, @Nullable Outcome outcome) {
      this(message, outcome, 0);
    }

    Outcome outcomeOrDone() {
      return outcome == null ? Outcome.Done : outcome;
    }

    Duration after() {
      return Duration.ofSeconds(afterSeconds);
    }
  }

  /**
   * The observed state.
   *
   * @param phase {@code Ready}
   * @param message the message of the reconciled spec
   * @param observedGeneration the generation that has been reconciled
   */
  public record Status(
      @Nullable String phase, @Nullable String message, @Nullable Long observedGeneration) {}

  /** Returns the spec, or an empty one. */
  public Spec spec() {
    return spec == null ? new Spec(null, null) : spec;
  }

  /** Sets the spec. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns the status, or null. */
  public @Nullable Status status() {
    return status;
  }

  /** Sets the status. */
  public void setStatus(Status value) {
    status = value;
  }
}
