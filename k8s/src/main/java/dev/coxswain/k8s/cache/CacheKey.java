// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;

/**
 * The key of a cache. Users of equal keys share one cache and one watch.
 *
 * <p>Thread rule: immutable.
 *
 * @param cluster the name of the cluster, empty for that of the host
 * @param type the resource and the class of its objects
 * @param namespace the namespace, empty for all
 * @param labelSelector a label selector that the server applies, empty for all
 * @param fieldSelector a field selector that the server applies, empty for all
 * @param transform the transform of objects before they are stored
 */
public record CacheKey<T extends KubernetesObject>(
    String cluster,
    ResourceType<T> type,
    String namespace,
    String labelSelector,
    String fieldSelector,
    ObjectTransform transform) {

  public CacheKey {
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(labelSelector, "labelSelector");
    Objects.requireNonNull(fieldSelector, "fieldSelector");
    Objects.requireNonNull(transform, "transform");
    if (!type.namespaced() && !namespace.isEmpty()) {
      throw new IllegalArgumentException(
          type + " is cluster-scoped and cannot be watched in namespace \"" + namespace + "\"");
    }
  }

  /** Creates the key of a cache of the host's cluster, without a transform. */
  public CacheKey(
      ResourceType<T> type, String namespace, String labelSelector, String fieldSelector) {
    this("", type, namespace, labelSelector, fieldSelector, ObjectTransform.NONE);
  }

  /** Returns the key of the same selection in another cluster, empty for that of the host. */
  public CacheKey<T> inCluster(String value) {
    return new CacheKey<>(value, type, namespace, labelSelector, fieldSelector, transform);
  }

  /** Returns the key of the same selection in another namespace, empty for all. */
  public CacheKey<T> inNamespace(String value) {
    return new CacheKey<>(cluster, type, value, labelSelector, fieldSelector, transform);
  }

  /** Returns the key with another label selector. */
  public CacheKey<T> labels(String value) {
    return new CacheKey<>(cluster, type, namespace, value, fieldSelector, transform);
  }

  /** Returns the key with another field selector. */
  public CacheKey<T> fields(String value) {
    return new CacheKey<>(cluster, type, namespace, labelSelector, value, transform);
  }

  /** Returns the key with another transform. */
  public CacheKey<T> transformedBy(ObjectTransform value) {
    return new CacheKey<>(cluster, type, namespace, labelSelector, fieldSelector, value);
  }

  /**
   * Returns an object as stored in a cache of this key, in UTF-8: transformed, and without its
   * managed fields.
   *
   * @param object as received from the server; not changed
   * @throws JsonParseException when it has no name or no metadata, or the transform fails
   * @throws UndecodableObjectException when it does not fit the class
   */
  public byte[] kept(JsonObject object) {
    ReceivedObject received = ReceivedObject.of(object);
    byte[] kept = Entry.kept(received, this);
    Entry.decode(kept, Entry.keyOf(received), type.type());
    return kept;
  }

  /** Returns a text for display: {@code "ConfigMap of cluster eu labels a=b in ns"}. */
  @Override
  public String toString() {
    return type.kind()
        + (type.group().isEmpty() ? "" : "." + type.group())
        + (type.type() == PartialObjectMetadata.class ? " metadata" : "")
        + (cluster.isEmpty() ? "" : " of cluster " + cluster)
        + (labelSelector.isEmpty() ? "" : " labels " + labelSelector)
        + (fieldSelector.isEmpty() ? "" : " fields " + fieldSelector)
        + (namespace.isEmpty() ? "" : " in " + namespace);
  }
}
