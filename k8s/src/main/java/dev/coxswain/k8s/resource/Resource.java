// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.resource.ObjectChanges.Part;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Scale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Reads and writes of the objects of one resource, directly at the API server.
 *
 * <p>All methods block and have a time limit. They throw {@link ApiStatusException} when the
 * request fails, also when the resource is not installed, and {@link LostOwnershipException} when
 * this replica may not write; a reconciler need not catch either. Fields that the class does not
 * have are lost by {@link #update}, which replaces the object: prefer {@link #modify} and {@link
 * #createOrPatch}, which keep them, also in the elements of lists that are still there, or {@link #patch}
 * and {@link #apply}, which send only the given fields. Of {@link ResourceType#metadataOnly} objects
 * can be read and deleted; every other write is refused with {@link UnsupportedOperationException}
 * before anything is sent.
 *
 * <p>Thread rule: any thread that may block (a blocking reconciler's is one); refused on a Vert.x
 * event loop with {@link IllegalStateException}.
 *
 * @param <T> the class of the objects
 */
public final class Resource<T extends KubernetesObject> extends ResourceReads<T> {

  private final WriteObserver observer;
  private final WriteOptions options;
  private final ObjectDeletes deletes;
  private final ObjectChanges<T> changes;
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
    this(
        transport,
        type,
        observer,
        new WriteOptions(
            transport.options().fieldManager(),
            false,
            WriteOptions.FieldValidation.SERVER_DEFAULT));
  }

  private Resource(
      ApiTransport transport, ResourceType<T> type, WriteObserver observer, WriteOptions options) {
    super(transport, type);
    this.observer = Objects.requireNonNull(observer, "observer");
    this.options = options;
    this.deletes = new ObjectDeletes(transport, type, this::deleted, options.dryRun());
    this.changes = new ObjectChanges<>(this, codec);
    this.userCode = new UserCode("resource", type);
  }

  /** Returns the same resource with other options for its writes, evictions and deletions. */
  public Resource<T> with(UnaryOperator<WriteOptions> change) {
    return new Resource<>(transport, type, observer, change.apply(options));
  }

  /** Returns the same resource for dry runs: the server checks and answers, and stores nothing. */
  public Resource<T> dryRun() {
    return with(written -> written.withDryRun(true));
  }

  /** Returns the options of writes. */
  public WriteOptions writeOptions() {
    return options;
  }

  /**
   * Creates an object.
   *
   * @param object with a name (or generateName) and, if namespaced, a namespace
   * @return the object as stored
   */
  public T create(T object) {
    return codec.decode(create(codec.requiredNamespace(object), codec.encode(object)));
  }

  JsonObject create(String namespace, JsonObject object) {
    return write("POST", type.path(namespace), options.query(), object, ApiTransport.JSON);
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
    return codec.decode(
        write(
            "PUT",
            path(key(object)) + subresource,
            options.query(),
            codec.encode(object),
            ApiTransport.JSON));
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

  /**
   * Applies a strategic merge patch: lists with a key, such as containers, are merged by it. Custom
   * resources have none, and refuse it.
   *
   * @param key the object
   * @param patch the change
   * @return the object as stored
   */
  public T strategicPatch(Request key, JsonObject patch) {
    return patch(key, "", patch, ApiTransport.STRATEGIC_PATCH);
  }

  private T patch(Request key, String subresource, JsonElement patch, String contentType) {
    return codec.decode(
        write("PATCH", path(key) + subresource, options.query(), patch, contentType));
  }

  JsonObject mergePatch(Request key, String subresource, JsonObject patch) {
    return write(
        "PATCH", path(key) + subresource, options.query(), patch, ApiTransport.MERGE_PATCH);
  }

  /**
   * Server-side apply: the object need not exist; this field manager owns the given fields, and
   * takes them from others.
   *
   * @param object only the fields to own; empty lists and maps of the client's models are not sent
   * @return the object as stored
   */
  public T apply(T object) {
    return apply(object, options.fieldManager(), true);
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
    Map<String, String> query = options.withFieldManager(fieldManager).query();
    query.put("force", Boolean.toString(force));
    return codec.decode(
        write("PATCH", path(key(object)) + subresource, query, body, ApiTransport.APPLY_PATCH));
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
   * @param how the options
   * @return whether it existed
   */
  public boolean delete(Request key, DeleteOptions how) {
    return deletes.delete(key, how);
  }

  /**
   * Deletes the selected objects with one request, as far as the resource supports it. In a sharded
   * controller the selection must not have objects that belong to requests of other replicas.
   *
   * @param selection the selection, with a namespace unless the resource is cluster-scoped
   * @param how the options, without uid and version
   * @return how many objects there were; they may remain until their finalizers are removed
   */
  public int deleteAll(ListOptions selection, DeleteOptions how) {
    return deletes.deleteAll(selection, how);
  }

  /**
   * Evicts a pod: deletes it unless a disruption budget protects it.
   *
   * @return whether it existed; it may remain for its grace period
   * @throws ApiStatusException with status 429 when a budget does not allow it now. A reconciler may
   *     let it escape: the attempt is repeated no earlier than the server suggests
   * @throws IllegalArgumentException when this is no resource of pods
   */
  public boolean evict(Request pod, DeleteOptions how) {
    return deletes.evict(pod, how);
  }

  /**
   * Sets the wanted number of replicas, through the scale subresource.
   *
   * @return the scale as stored
   * @throws UnsupportedOperationException when the resource has no such subresource
   */
  public V1Scale scaleTo(Request key, int replicas) {
    type.requireWhole();
    JsonObject spec = new JsonObject();
    spec.addProperty("replicas", replicas);
    JsonObject patch = new JsonObject();
    patch.add("spec", spec);
    String path = path(key) + "/scale";
    return Json.decode(
        scaled(
            key,
            () -> transport.write("PATCH", path, options.query(), patch, ApiTransport.MERGE_PATCH)),
        V1Scale.class);
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
    return createOrPatch(key, fresh, change, Part.OBJECT);
  }

  /**
   * As {@link #createOrPatch}, and patches the status too, for resources whose status is a
   * subresource: with a second request when {@code change} changes it.
   */
  public T createOrPatchWithStatus(Request key, Supplier<T> fresh, Consumer<T> change) {
    return createOrPatch(key, fresh, change, Part.BOTH);
  }

  private T createOrPatch(Request key, Supplier<T> fresh, Consumer<T> change, Part part) {
    changes.requireChangeable();
    return changes.createOrPatch(
        key, () -> codec.named(key, fresh.get()), changes.typed(change), part);
  }

  /**
   * As {@link #createOrPatch}, for a change of the whole JSON tree, such as that of an {@link
   * dev.coxswain.k8s.client.Unstructured} object. A new object has API version, kind and name.
   */
  public T createOrPatchJson(Request key, Consumer<JsonObject> change) {
    return changes.createOrPatch(
        key, () -> codec.empty(key), ObjectChanges.ofTree(change), Part.OBJECT);
  }

  /**
   * Changes an existing object: reads it, applies {@code change} to the copy and sends the
   * difference; retries after a concurrent write.
   *
   * @throws IllegalArgumentException when {@code change} has changed the name or the namespace
   * @return the object as stored, or empty when there is none
   */
  public Optional<T> modify(Request key, Consumer<T> change) {
    changes.requireChangeable();
    return changes.modify(key, changes.typed(change), Part.OBJECT);
  }

  /**
   * As {@link #modify}, and patches the status too, for resources whose status is a subresource: with
   * a second request when {@code change} changes it.
   */
  public Optional<T> modifyWithStatus(Request key, Consumer<T> change) {
    changes.requireChangeable();
    return changes.modify(key, changes.typed(change), Part.BOTH);
  }

  /** As {@link #modify}, for a change of the whole JSON tree. */
  public Optional<T> modifyJson(Request key, Consumer<JsonObject> change) {
    return changes.modify(key, ObjectChanges.ofTree(change), Part.OBJECT);
  }

  /**
   * Changes the status of an existing object as {@link #modify} does, through the status
   * subresource; nothing is sent without a difference.
   *
   * @throws IllegalArgumentException when {@code change} has changed the name or the namespace
   * @return the object as stored, or empty when there is none
   */
  public Optional<T> modifyStatus(Request key, Consumer<T> change) {
    changes.requireChangeable();
    return changes.modify(key, changes.typed(change), Part.STATUS);
  }

  /** As {@link #modifyStatus}, for a change of the whole JSON tree. */
  public Optional<T> modifyStatusJson(Request key, Consumer<JsonObject> change) {
    return changes.modify(key, ObjectChanges.ofTree(change), Part.STATUS);
  }

  /** Changes the metadata alone, also of immutable objects. */
  Optional<T> modifyMetadata(Request key, Consumer<V1ObjectMeta> change) {
    return changes.modify(key, ObjectChanges.ofMetadata(change), Part.OBJECT);
  }

  /** Sends a write that returns the object; all but deletions and scaling go through here. */
  private JsonObject write(
      String method, String path, Map<String, String> query, JsonElement body, String contentType) {
    type.requireWhole();
    JsonObject stored = transport.write(method, path, query, body, contentType);
    if (stored.get("metadata") instanceof JsonObject metadata) {
      Request key = new Request(Json.text(metadata, "namespace"), Json.text(metadata, "name"));
      observe(key, () -> observer.written(type, key, stored));
    }
    return stored;
  }

  private void deleted(Request key, JsonObject response) {
    observe(key, () -> observer.deleted(type, key, response));
  }

  /** Calls the observer after a write; an exception of it must not look like a failed write. */
  private void observe(Request key, Runnable call) {
    if (options.dryRun()) {
      return; // nothing has been written
    }
    try {
      call.run();
    } catch (Throwable e) {
      userCode.failed("write observer failed, the write was made", key, e);
    }
  }
}
