// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.demo;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import org.jspecify.annotations.Nullable;

/**
 * A resource whose spec decides whether reconciling it fails.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "demo.coxswain.dev", version = "v1", plural = "demos")
public final class Demo extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  /**
   * The desired state.
   *
   * @param message any text
   * @param fail whether every attempt fails
   */
  public record Spec(@Nullable String message, boolean fail) {}

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
    return spec == null ? new Spec(null, false) : spec;
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
