// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.resource.Conflicts;
import dev.coxswain.k8s.internal.resource.MergePatch;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads and writes of the objects of one resource, directly at the API server.
 *
 * <p>All methods block and have a time limit. They throw {@link ApiStatusException} when the
 * request fails, also when the resource is not installed, and {@link LostOwnershipException} when
 * this replica may not write; a reconciler need not catch either. Unknown fields of an object are
 * lost by {@link #update}, which replaces it: prefer {@link #patch}, {@link #apply} and {@link
 * #createOrPatch}, which change only the given fields. Of {@link ResourceType#metadataOnly} objects
 * can be read and deleted; every other write is refused with {@link UnsupportedOperationException}
 * before anything is sent.
 *
 * <p>Thread rule: any thread that may block (a blocking reconciler's is one); refused on a Vert.x
 * event loop with {@link IllegalStateException}.
 *
 * @param <T> the class of the objects
 */
public final class Resource<T extends KubernetesObject> {

  private final ApiTransport transport;
  private final ResourceType<T> type;
  private final WriteObserver observer;
  private final ObjectCodec<T> codec;
  private final UserCode userCode;

  /**
   * Creates access to a resource.
   *
   * @param transport the connection to the API server
   * @param type the resource
   */
  public Resource(ApiTransport transport, ResourceType<T> type) {
    this(transport, type, WriteObserver.NONE);
  }

  /**
   * Creates access to a resource.
   *
   * @param transport the connection to the API server
   * @param type the resource
   * @param observer receives the responses to writes
   */
  public Resource(ApiTransport transport, ResourceType<T> type, WriteObserver observer) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.type = Objects.requireNonNull(type, "type");
    this.observer = Objects.requireNonNull(observer, "observer");
    this.codec = new ObjectCodec<>(type);
    this.userCode = new UserCode("resource", type);
  }

  /** Returns the resource type. */
  public ResourceType<T> type() {
    return type;
  }

  /** Returns the object, or empty when there is none. */
  public Optional<T> get(Request key) {
    try {
      return Optional.of(codec.decode(transport.get(path(key), Map.of())));
    } catch (ApiStatusException e) {
      if (e.isNotFound() && !e.isApiMissing()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Returns all selected objects, read in pages. An object that does not match the class fails the
   * call; caches skip it instead.
   */
  public List<T> list(ListOptions options) {
    Map<String, String> query = new HashMap<>();
    if (!options.labelSelector().isEmpty()) {
      query.put("labelSelector", options.labelSelector());
    }
    if (!options.fieldSelector().isEmpty()) {
      query.put("fieldSelector", options.fieldSelector());
    }
    List<JsonElement> items = new ArrayList<>();
    transport.list(
        type.path(options.namespace()), query, ApiTransport.JSON, items::clear, items::add);
    List<T> decoded = new ArrayList<>(items.size());
    for (JsonElement item : items) {
      decoded.add(codec.decodeItem(item));
    }
    return decoded;
  }

  /**
   * Creates an object.
   *
   * @param object with a name (or generateName) and, if namespaced, a namespace
   * @return the object as stored
   */
  public T create(T object) {
    String path = type.path(codec.requiredNamespace(object));
    return write("POST", path, writer(), codec.encode(object), ApiTransport.JSON);
  }

  /**
   * Replaces an object (except its status where that is a subresource).
   *
   * @param object the new state; without a resource version the last writer wins
   * @return the object as stored
   */
  public T update(T object) {
    return replace(object, "");
  }

  /** Replaces only the status of an object, through the status subresource. */
  public T updateStatus(T object) {
    return replace(object, "/status");
  }

  private T replace(T object, String subresource) {
    return write(
        "PUT", path(key(object)) + subresource, writer(), codec.encode(object), ApiTransport.JSON);
  }

  /**
   * Applies a JSON merge patch.
   *
   * @param key the object
   * @param patch the change; a null member is removed. With {@code metadata.resourceVersion} the
   *     patch fails with a conflict when the object has changed
   * @return the object as stored
   */
  public T patch(Request key, JsonObject patch) {
    return patch(key, "", patch, ApiTransport.MERGE_PATCH);
  }

  /** Applies a JSON merge patch to the status subresource. */
  public T patchStatus(Request key, JsonObject patch) {
    return patch(key, "/status", patch, ApiTransport.MERGE_PATCH);
  }

  /**
   * Applies a JSON patch (RFC 6902).
   *
   * @param key the object
   * @param operations the array of operations
   * @return the object as stored
   */
  public T jsonPatch(Request key, JsonArray operations) {
    return patch(key, "", operations, ApiTransport.JSON_PATCH);
  }

  private T patch(Request key, String subresource, JsonElement patch, String contentType) {
    return write("PATCH", path(key) + subresource, writer(), patch, contentType);
  }

  /**
   * Server-side apply: the object need not exist; this field manager owns the given fields, and
   * takes them from others.
   *
   * @param object only the fields to own; empty lists and maps of the client's models are not sent
   * @return the object as stored
   */
  public T apply(T object) {
    return apply(object, transport.options().fieldManager(), true);
  }

  /**
   * Server-side apply.
   *
   * @param object only the fields to own
   * @param fieldManager the owner of the fields
   * @param force whether to take fields from other owners; without it that is a conflict
   * @return the object as stored
   */
  public T apply(T object, String fieldManager, boolean force) {
    return apply(object, "", fieldManager, force);
  }

  /** Server-side apply to the status subresource. */
  public T applyStatus(T object, String fieldManager, boolean force) {
    return apply(object, "/status", fieldManager, force);
  }

  private T apply(T object, String subresource, String fieldManager, boolean force) {
    JsonObject body = codec.encode(object);
    if (body.get("metadata") instanceof JsonObject metadata) {
      metadata.remove("managedFields");
    }
    Map<String, String> query =
        Map.of("fieldManager", fieldManager, "force", Boolean.toString(force));
    return write("PATCH", path(key(object)) + subresource, query, body, ApiTransport.APPLY_PATCH);
  }

  /**
   * Deletes an object if it exists.
   *
   * @return whether it existed; it may remain until its finalizers are removed
   */
  public boolean delete(Request key) {
    return delete(key, DeleteOptions.BACKGROUND);
  }

  /**
   * Deletes an object if it exists.
   *
   * @param key the object
   * @param options the options
   * @return whether it existed
   */
  public boolean delete(Request key, DeleteOptions options) {
    try {
      JsonObject response =
          transport.write("DELETE", path(key), Map.of(), options.toJson(), ApiTransport.JSON);
      observe(key, () -> observer.deleted(type, key, response));
      return true;
    } catch (ApiStatusException e) {
      if (e.isNotFound() && !e.isApiMissing()) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Creates the object, or applies {@code change} to it; nothing is sent without a difference.
   * Retries after a concurrent write.
   *
   * @param key the object
   * @param fresh returns a new object when there is none; name and namespace are filled in
   * @param change changes an object to the desired state; called once per try, on a new copy
   * @return the object as stored
   * @throws IllegalArgumentException when {@code change} has changed the name or the namespace:
   *     another object would be created or patched; nothing has been sent
   */
  public T createOrPatch(Request key, Supplier<T> fresh, Consumer<T> change) {
    type.requireWhole();
    return Conflicts.retry(() -> {
      Optional<T> present = get(key);
      if (present.isEmpty()) {
        T object = codec.named(key, fresh.get());
        Request meant = codec.key(object);
        change.accept(object);
        refuseOther(meant, codec.key(object));
        return create(object);
      }
      return patchChange(present.get(), "", change);
    });
  }

  /**
   * Changes an existing object: reads it, applies {@code change} to the copy and sends the
   * difference; retries after a concurrent write.
   *
   * @throws IllegalArgumentException when {@code change} has changed the name or the namespace
   * @return the object as stored, or empty when there is none
   */
  public Optional<T> modify(Request key, Consumer<T> change) {
    type.requireWhole();
    return Conflicts.retry(() -> get(key).map(object -> patchChange(object, "", change)));
  }

  /**
   * Changes the status of an existing object as {@link #modify} does, through the status
   * subresource; nothing is sent without a difference.
   *
   * @throws IllegalArgumentException when {@code change} has changed the name or the namespace
   * @return the object as stored, or empty when there is none
   */
  public Optional<T> modifyStatus(Request key, Consumer<T> change) {
    type.requireWhole();
    return Conflicts.retry(() -> get(key).map(object -> patchChange(object, "/status", change)));
  }

  /** Changes the metadata alone, also of immutable objects. */
  Optional<T> modifyMetadata(Request key, Consumer<V1ObjectMeta> change) {
    type.requireWhole();
    return Conflicts.retry(() ->
        get(key)
            .map(object -> {
              V1ObjectMeta metadata = codec.metadata(object);
              JsonObject before = Json.GSON.toJsonTree(metadata).getAsJsonObject();
              Request meant = codec.key(object);
              change.accept(metadata);
              refuseOther(meant, codec.key(object));
              JsonObject changed =
                  MergePatch.diff(before, Json.GSON.toJsonTree(metadata).getAsJsonObject());
              return changed.isEmpty()
                  ? object
                  : patchAt(object, "", before, new JsonObject(), changed);
            }));
  }

  private void refuseOther(Request meant, Request now) {
    if (!meant.equals(now)) {
      throw new IllegalArgumentException(
          "the change of "
              + type.kind()
              + " "
              + meant
              + " made it "
              + now
              + ": name and namespace cannot be changed");
    }
  }

  /** Sends a write; every write of this class but a deletion goes through here. */
  private T write(
      String method, String path, Map<String, String> query, JsonElement body, String contentType) {
    type.requireWhole();
    JsonObject stored = transport.write(method, path, query, body, contentType);
    if (stored.get("metadata") instanceof JsonObject metadata) {
      Request key = new Request(Json.text(metadata, "namespace"), Json.text(metadata, "name"));
      observe(key, () -> observer.written(type, key, stored));
    }
    return codec.decode(stored);
  }

  /** Calls the observer after a write; an exception of it must not look like a failed write. */
  private void observe(Request key, Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      userCode.failed("write observer failed, the write was made", key, e);
    }
  }

  private T patchChange(T object, String subresource, Consumer<T> change) {
    if (object instanceof Unstructured) {
      // Its metadata is a copy: the change would be lost silently.
      throw new UnsupportedOperationException(
          "an unstructured "
              + type.kind()
              + " cannot be changed in place: send a patch, or update() with Unstructured.of");
    }
    JsonObject before = codec.encode(object);
    Request meant = codec.key(object);
    change.accept(object);
    refuseOther(meant, codec.key(object));
    JsonObject patch = MergePatch.diff(before, codec.encode(object));
    if (patch.isEmpty()) {
      return object;
    }
    JsonObject metadata =
        patch.get("metadata") instanceof JsonObject changed ? changed : new JsonObject();
    return patchAt(object, subresource, before.getAsJsonObject("metadata"), patch, metadata);
  }

  /** A merge patch replaces lists as a whole, so it must be refused when the object has changed. */
  private T patchAt(
      T object, String subresource, JsonObject read, JsonObject patch, JsonObject metadata) {
    metadata.add("resourceVersion", read.get("resourceVersion"));
    patch.add("metadata", metadata);
    return patch(key(object), subresource, patch, ApiTransport.MERGE_PATCH);
  }

  /** Returns the key of an object. */
  public Request key(T object) {
    return codec.key(object);
  }

  private String path(Request key) {
    return type.path(key.namespace(), key.name());
  }

  private Map<String, String> writer() {
    return Map.of("fieldManager", transport.options().fieldManager());
  }
}
