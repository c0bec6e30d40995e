// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.extended.website;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.util.List;

/** A list of websites, which the informer decodes. */
class WebsiteList implements KubernetesListObject {
  String apiVersion;
  String kind;
  V1ListMeta metadata;
  List<Website> items;

  @Override
  public V1ListMeta getMetadata() {
    return metadata;
  }

  @Override
  public List<Website> getItems() {
    return items;
  }

  @Override
  public String getApiVersion() {
    return apiVersion;
  }

  @Override
  public String getKind() {
    return kind;
  }
}
