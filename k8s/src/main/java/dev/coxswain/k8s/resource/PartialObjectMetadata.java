// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * An object of any resource without its spec and status; see {@link ResourceType#metadataOnly}.
 *
 * <p>Thread rule: none of its own; its metadata is mutable and owned by the receiver.
 *
 * @param apiVersion group and version of the resource itself
 * @param kind the kind of the resource itself
 * @param metadata the metadata
 */
public record PartialObjectMetadata(
    @Nullable String apiVersion, @Nullable String kind, V1ObjectMeta metadata)
    implements KubernetesObject {

  @Override
  public V1ObjectMeta getMetadata() {
    return metadata;
  }

  @Override
  public @Nullable String getApiVersion() {
    return apiVersion;
  }

  @Override
  public @Nullable String getKind() {
    return kind;
  }
}
