// SPDX-License-Identifier: Apache-2.0
package hello;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.schema.CustomResource;
import dev.coxswain.k8s.schema.PrinterColumn;
import dev.coxswain.k8s.schema.Schema;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;

/** The custom resource: its definition is made of this class by {@code coxswain crd generate}. */
@KubernetesResource(group = "hello.example.com", version = "v1", plural = "gizmos")
@CustomResource(
    columns = {
      @PrinterColumn(name = "Size", jsonPath = ".spec.size"),
      @PrinterColumn(
          name = "Ready",
          jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
          type = "string"),
      @PrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = "date")
    })
public final class Gizmo extends CustomObject {

  @Schema(required = true)
  Spec spec;

  Status status;

  /** The desired state, written by users. The API server refuses what the annotations do not allow. */
  record Spec(
      @Schema(description = "How large it is.", minimum = 1, maximum = 100, defaultValue = "1")
          int size) {}

  /** The observed state, written by the controller alone. */
  record Status(
      @Schema(description = "The generation that the conditions are about.")
          Long observedGeneration,
      @Schema(listMapKeys = "type") List<V1Condition> conditions) {}
}
