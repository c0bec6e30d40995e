// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.memcached;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some instances of Memcached. */
@KubernetesResource(group = "cache.example.com", version = "v1alpha1", plural = "memcacheds")
final class Memcached extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  record Spec(@Nullable Integer size) {}

  record Status(List<V1Condition> conditions) {}

  int size() {
    return spec == null || spec.size() == null ? 1 : spec.size();
  }

  List<V1Condition> conditions() {
    return status == null ? List.of() : status.conditions();
  }

  void setConditions(List<V1Condition> conditions) {
    status = new Status(conditions);
  }
}
