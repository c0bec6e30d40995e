// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.extended.website;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;

/** The resource. */
public class Website implements KubernetesObject {
  String apiVersion = "example.com/v1";
  String kind = "Website";
  V1ObjectMeta metadata = new V1ObjectMeta();
  Spec spec;
  Status status;

  record Spec(String title, String secret) {}

  record Status(List<V1Condition> conditions) {}

  @Override
  public V1ObjectMeta getMetadata() {
    return metadata;
  }

  @Override
  public String getApiVersion() {
    return apiVersion;
  }

  @Override
  public String getKind() {
    return kind;
  }

  boolean isReady() {
    return status != null
        && status.conditions().stream()
            .anyMatch(one -> one.getType().equals("Ready") && one.getStatus().equals("True"));
  }
}
