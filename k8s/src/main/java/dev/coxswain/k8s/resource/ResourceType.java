// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.internal.resource.PathSegment;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;

/**
 * One resource of the API and the class its objects are decoded to.
 *
 * <p>Thread rule: immutable.
 *
 * @param group the API group, empty for the core group
 * @param version the version
 * @param plural the plural that appears in URLs
 * @param kind the kind
 * @param namespaced whether objects live in namespaces
 * @param type the class; {@link Unstructured} for a JSON tree, {@link PartialObjectMetadata} for
 *     the metadata alone
 * @param <T> the class
 */
public record ResourceType<T extends KubernetesObject>(
    String group, String version, String plural, String kind, boolean namespaced, Class<T> type) {

  public ResourceType {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(type, "type");
    if (version.isEmpty() || plural.isEmpty() || kind.isEmpty()) {
      throw new IllegalArgumentException(
          "a resource needs a version, a plural and a kind: \""
              + version
              + "\", \""
              + plural
              + "\", \""
              + kind
              + "\"");
    }
  }

  /**
   * Returns the resource of a class: a model of the official client, or a class with a {@link
   * KubernetesResource} annotation.
   *
   * @throws IllegalArgumentException when the class is neither
   */
  public static <T extends KubernetesObject> ResourceType<T> of(Class<T> type) {
    KubernetesResource named = type.getAnnotation(KubernetesResource.class);
    if (named != null) {
      return new ResourceType<>(
          named.group(),
          named.version(),
          named.plural(),
          named.kind().isEmpty() ? type.getSimpleName() : named.kind(),
          named.namespaced(),
          type);
    }
    return BuiltInTypes.find(type)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "class "
                    + type.getName()
                    + " names no resource: annotate it with @KubernetesResource, or give the"
                    + " resource as new ResourceType<>(group, version, plural, kind, ...)"));
  }

  /** Returns a resource whose objects are JSON trees. */
  public static ResourceType<Unstructured> unstructured(
      String group, String version, String plural, String kind, boolean namespaced) {
    return new ResourceType<>(group, version, plural, kind, namespaced, Unstructured.class);
  }

  /**
   * Returns the same resource with only the metadata of its objects: the server omits the rest,
   * which saves traffic and memory when only labels, owners or existence matter. It is for reading,
   * watching and deleting: {@link Resource} refuses to write it.
   */
  public ResourceType<PartialObjectMetadata> metadataOnly() {
    return new ResourceType<>(
        group, version, plural, kind, namespaced, PartialObjectMetadata.class);
  }

  /**
   * Refuses to write objects of which only the metadata was read: spec and status would be lost.
   *
   * @throws UnsupportedOperationException when this is {@link #metadataOnly}
   */
  void requireWhole() {
    if (type == PartialObjectMetadata.class) {
      throw new UnsupportedOperationException(
          "the metadata of "
              + this
              + " alone cannot be written, the rest of the object would be lost: write with"
              + " resource(...) of the whole type");
    }
  }

  /** Returns the Accept header of a list. */
  public String acceptList() {
    return accept("PartialObjectMetadataList");
  }

  /** Returns the Accept header of a watch or of one object. */
  public String acceptWatch() {
    return accept("PartialObjectMetadata");
  }

  private String accept(String as) {
    // A server without support for it sends whole objects, which are reduced here.
    return type == PartialObjectMetadata.class
        ? "application/json;as=" + as + ";g=meta.k8s.io;v=v1,application/json"
        : ApiTransport.JSON;
  }

  /** Returns {@code group/version}, or the version alone in the core group. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /**
   * Returns the path of the collection.
   *
   * @param namespace the namespace, or empty for all of them and for cluster-scoped objects
   */
  public String path(String namespace) {
    StringBuilder path = new StringBuilder(group.isEmpty() ? "/api/" : "/apis/");
    path.append(apiVersion());
    if (namespaced && !namespace.isEmpty()) {
      path.append("/namespaces/").append(PathSegment.encode(namespace));
    }
    return path.append('/').append(plural).toString();
  }

  /**
   * Returns the path of one object.
   *
   * @param namespace its namespace, empty for a cluster-scoped object
   * @param name its name
   * @throws IllegalArgumentException when it is not the name of an object alone, or the namespace is
   *     missing
   */
  public String path(String namespace, String name) {
    if (name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          kind
              + " \""
              + name
              + "\" names a cluster: access it with k8s.cluster(request.cluster()) by its name alone, request.inCluster(\"\")");
    }
    if (namespaced && namespace.isEmpty()) {
      throw new IllegalArgumentException(
          kind + " \"" + name + "\" is namespaced, but no namespace was given");
    }
    return path(namespace) + "/" + PathSegment.encode(name);
  }

  /** Returns {@code configmaps} or {@code demos.demo.coxswain.dev}, as in kubectl. */
  @Override
  public String toString() {
    return group.isEmpty() ? plural : plural + "." + group;
  }
}
