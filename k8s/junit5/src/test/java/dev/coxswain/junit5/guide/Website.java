// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.guide;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

@KubernetesResource(group = "example.com", version = "v1", plural = "websites")
public final class Website extends CustomObject {
  @Nullable Spec spec;
  @Nullable Status status;

  record Spec(String title, @Nullable String secret) {}

  record Status(List<V1Condition> conditions) {}

  String title() {
    return spec == null ? "" : spec.title();
  }

  /** Namespace and name of the Secret that it uses. */
  List<String> secrets() {
    return spec == null || spec.secret() == null
        ? List.of()
        : List.of(getMetadata().getNamespace() + "/" + spec.secret());
  }

  List<V1Condition> conditions() {
    return status == null ? List.of() : status.conditions();
  }
}
