// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * A base class for custom resource classes: it contains {@code apiVersion}, {@code kind} and {@code
 * metadata}; the subclass adds fields such as {@code spec} and {@code status}, which may be
 * records.
 *
 * <p>Thread rule: one thread, as all mutable objects; caches return a copy to every reader.
 */
public abstract class CustomObject implements KubernetesObject {

  private @Nullable String apiVersion;
  private @Nullable String kind;
  private V1ObjectMeta metadata = new V1ObjectMeta();

  /** Creates an object with empty metadata. */
  protected CustomObject() {}

  @Override
  public V1ObjectMeta getMetadata() {
    return metadata;
  }

  /** Sets the metadata. */
  public void setMetadata(V1ObjectMeta metadata) {
    this.metadata = metadata;
  }

  /** Returns {@code group/version}; null on a new object, filled in on writing. */
  @Override
  public @Nullable String getApiVersion() {
    return apiVersion;
  }

  /** Returns the kind; null on a new object, filled in on writing. */
  @Override
  public @Nullable String getKind() {
    return kind;
  }
}
