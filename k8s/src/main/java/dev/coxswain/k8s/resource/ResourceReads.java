// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.ListMetadata;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Scale;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The reads of a {@link Resource}.
 *
 * <p>Thread rule: as that.
 */
abstract sealed class ResourceReads<T extends KubernetesObject> permits Resource {

  final ApiTransport transport;
  final ResourceType<T> type;
  final ObjectCodec<T> codec;

  ResourceReads(ApiTransport transport, ResourceType<T> type) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.type = Objects.requireNonNull(type, "type");
    this.codec = new ObjectCodec<>(type);
  }

  /** Returns the resource type. */
  public ResourceType<T> type() {
    return type;
  }

  /** Returns the object, or empty when there is none. */
  public Optional<T> get(Request key) {
    return tree(key).map(codec::decode);
  }

  Optional<JsonObject> tree(Request key) {
    return ifPresent(() -> transport.get(path(key), Map.of()));
  }

  /** Runs a request; empty when its object does not exist. */
  static <R> Optional<R> ifPresent(Supplier<R> request) {
    try {
      return Optional.of(request.get());
    } catch (ApiStatusException e) {
      if (e.isNotFound() && !e.isApiMissing()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Returns all selected objects, read in pages. An object that does not match the class fails the
   * call.
   */
  public List<T> list(ListOptions selection) {
    List<JsonObject> items = new ArrayList<>();
    transport.list(
        type.path(selection.namespace()),
        selection.query(),
        ApiTransport.JSON,
        items::clear,
        item -> items.add(item.tree()));
    return decoded(items);
  }

  private List<T> decoded(List<JsonObject> items) {
    List<T> decoded = new ArrayList<>(items.size());
    for (JsonObject item : items) {
      decoded.add(codec.decodeItem(item));
    }
    return decoded;
  }

  /**
   * Returns one page of the selected objects.
   *
   * @param selection the selection, the same for all pages of a list
   * @param limit the most objects of the page; 0 for all
   * @param next {@link ResourcePage#next} of the page before; empty for the first page
   * @throws ApiStatusException also when the token is too old ({@link ApiStatusException#isExpired}):
   *     the list starts again then
   */
  public ResourcePage<T> page(ListOptions selection, int limit, String next) {
    Map<String, String> query = selection.query();
    if (limit > 0) {
      query.put("limit", Integer.toString(limit));
    }
    if (!next.isEmpty()) {
      query.put("continue", next);
    }
    List<JsonObject> items = new ArrayList<>();
    ListMetadata end =
        transport.page(type.path(selection.namespace()), query, item -> items.add(item.tree()));
    return new ResourcePage<>(decoded(items), end.resourceVersion(), end.token());
  }

  /**
   * Opens a watch of the selected objects; to be closed.
   *
   * @param resourceVersion the version after which changes are received, such as that of a {@link
   *     ResourcePage}; empty to receive the present objects first
   */
  public ResourceWatch<T> watch(ListOptions selection, String resourceVersion) {
    Map<String, String> query = selection.query();
    query.put("allowWatchBookmarks", "true");
    if (!resourceVersion.isEmpty()) {
      query.put("resourceVersion", resourceVersion);
    }
    return new ResourceWatch<>(
        transport.watch(type.path(selection.namespace()), query, type.acceptWatch()),
        codec,
        resourceVersion);
  }

  /**
   * Returns the wanted and the present number of replicas, through the scale subresource; empty when
   * the object does not exist.
   *
   * @throws UnsupportedOperationException when the resource has no such subresource
   */
  public Optional<V1Scale> scale(Request key) {
    return ifPresent(() -> scaled(key, () -> transport.get(path(key) + "/scale", Map.of())))
        .map(scale -> Json.decode(scale, V1Scale.class));
  }

  /**
   * Runs a request for the scale of an object. For a resource without it servers answer as for an object
   * that does not exist, or for a path that they do not have: whether the object exists decides.
   */
  <R> R scaled(Request key, Supplier<R> request) {
    try {
      return request.get();
    } catch (ApiStatusException e) {
      if (e.isNotFound() && hasNoScale(key, e)) {
        throw new UnsupportedOperationException(
            type
                + " has no scale subresource; a custom resource has one with scaleSpec of"
                + " @CustomResource, or subresources.scale in its definition",
            e);
      }
      throw e;
    }
  }

  private boolean hasNoScale(Request key, ApiStatusException failure) {
    try {
      return tree(key).isPresent() || failure.isApiMissing();
    } catch (ApiStatusException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /** Returns the key of an object. */
  public Request key(T object) {
    return codec.key(object);
  }

  String path(Request key) {
    return type.path(key.namespace(), key.name());
  }
}
