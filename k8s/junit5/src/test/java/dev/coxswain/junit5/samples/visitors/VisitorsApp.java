// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.visitors;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A site that shows its visitors. */
@KubernetesResource(group = "example.com", version = "v1", plural = "visitorsapps")
final class VisitorsApp extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  record Spec(int size, @Nullable String title) {}

  record Status(String backendImage, String frontendImage, List<V1Condition> conditions) {}

  Spec spec() {
    return Objects.requireNonNullElse(spec, new Spec(1, null));
  }

  List<V1Condition> conditions() {
    return status == null ? List.of() : status.conditions();
  }

  void setStatus(Status value) {
    status = value;
  }
}
