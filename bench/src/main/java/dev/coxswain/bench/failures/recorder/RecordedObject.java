// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.recorder;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object of the suite.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "bench.coxswain.dev", version = "v1", plural = "recordedobjects")
public final class RecordedObject extends CustomObject {
  /** The definition, as JSON. */
  public static final String DEFINITION =
      """
      {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
       "metadata": {"name": "recordedobjects.bench.coxswain.dev"},
       "spec": {"group": "bench.coxswain.dev", "scope": "Namespaced",
        "names": {"kind": "RecordedObject", "listKind": "RecordedObjectList",
         "plural": "recordedobjects", "singular": "recordedobject"},
        "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
         "schema": {"openAPIV3Schema": {"type": "object", "properties": {
          "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
          "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}}
      """;

  private @Nullable Spec spec;
  private @Nullable Status status;

  /**
   * The desired state.
   *
   * @param round a number that the suite changes
   * @param fail whether every attempt fails
   */
  public record Spec(long round, boolean fail) {}

  /**
   * The attempt that wrote it.
   *
   * @param observedGeneration the generation that it reconciled
   * @param epoch its epoch
   * @param begin when it began
   * @param process the process that made it, such as {@code r0-1}
   */
  public record Status(long observedGeneration, long epoch, long begin, String process) {}

  /** Returns the spec, or that of an object without one. */
  public Spec spec() {
    return spec == null ? new Spec(0, false) : spec;
  }

  /** Returns the status, or null. */
  public @Nullable Status status() {
    return status;
  }

  void setStatus(Status value) {
    status = value;
  }

  /** Returns the generation. */
  public long generation() {
    return Objects.requireNonNullElse(getMetadata().getGeneration(), 0L);
  }
}
