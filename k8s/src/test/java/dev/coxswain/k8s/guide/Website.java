// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

@KubernetesResource(group = "guide.coxswain.dev", version = "v1", plural = "websites")
final class Website extends CustomObject {
  @Nullable Spec spec;
  @Nullable Status status;

  record Spec(String title, @Nullable String secret) {}

  record Status(List<V1Condition> conditions) {}

  List<V1Condition> conditions() {
    return status == null ? List.of() : status.conditions();
  }
}
