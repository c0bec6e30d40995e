// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.demo;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import org.jspecify.annotations.Nullable;

/**
 * A resource that says whether reconciling it fails.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "demo.coxswain.dev", version = "v1", plural = "demos")
public final class Demo extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  /**
   * What is wanted.
   *
   * @param message any text
   * @param fail whether every attempt fails
   */
  public record Spec(@Nullable String message, boolean fail) {}

  /**
   * What is the case.
   *
   * @param phase {@code Ready}
   * @param message the text of the spec that has been acted on
   * @param observedGeneration the generation that has been acted on
   */
  public record Status(
      @Nullable String phase, @Nullable String message, @Nullable Long observedGeneration) {}

  /** Returns what is wanted; an empty spec when there is none. */
  public Spec spec() {
    return spec == null ? new Spec(null, false) : spec;
  }

  /** Sets what is wanted. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns what is the case, or null when nobody has said. */
  public @Nullable Status status() {
    return status;
  }

  /** Sets what is the case. */
  public void setStatus(Status value) {
    status = value;
  }
}
