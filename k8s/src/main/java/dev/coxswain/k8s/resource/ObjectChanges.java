// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.internal.resource.Conflicts;
import dev.coxswain.k8s.internal.resource.MergePatch;
import dev.coxswain.k8s.internal.resource.TypedCopy;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Changes of objects that are read, changed by a function and patched with the difference; read and
 * changed anew after a concurrent write.
 *
 * <p>Thread rule: immutable; blocks.
 */
final class ObjectChanges<T extends KubernetesObject> {

  private static final String STATUS = "status";

  private final Resource<T> resource;
  private final ObjectCodec<T> codec;

  ObjectChanges(Resource<T> resource, ObjectCodec<T> codec) {
    this.resource = resource;
    this.codec = codec;
  }

  /** The part of an object that is written. */
  enum Part {
    /** All but the status where that is a subresource. */
    OBJECT,
    STATUS,
    /** First the object, then the status. */
    BOTH
  }

  /** An object as stored and as wanted. */
  record Edit(JsonObject before, JsonObject after) {}

  /** Returns a change of the class: what it does not have is not touched, at any depth. */
  Function<JsonObject, Edit> typed(Consumer<T> change) {
    return tree -> {
      TypedCopy<T> copy = codec.copy(tree);
      change.accept(copy.object());
      return new Edit(tree, copy.changedTo(copy.object()));
    };
  }

  /** Returns a change of the tree. */
  static Function<JsonObject, Edit> ofTree(Consumer<JsonObject> change) {
    return tree -> {
      JsonObject after = tree.deepCopy();
      change.accept(after);
      return new Edit(tree, after);
    };
  }

  /** Returns a change of the metadata, also of objects that do not change. */
  static Function<JsonObject, Edit> ofMetadata(Consumer<V1ObjectMeta> change) {
    return tree -> {
      TypedCopy<V1ObjectMeta> metadata =
          TypedCopy.of(tree.getAsJsonObject("metadata"), V1ObjectMeta.class);
      change.accept(metadata.object());
      JsonObject after = tree.deepCopy();
      after.add("metadata", metadata.changedTo(metadata.object()));
      return new Edit(tree, after);
    };
  }

  Optional<T> modify(Request key, Function<JsonObject, Edit> change, Part part) {
    resource.type().requireWhole();
    return Conflicts.retry(
        () -> resource.tree(key).map(tree -> codec.decode(patch(key, tree, change, part))));
  }

  T createOrPatch(
      Request key, Supplier<JsonObject> fresh, Function<JsonObject, Edit> change, Part part) {
    resource.type().requireWhole();
    return Conflicts.retry(() -> {
      Optional<JsonObject> present = resource.tree(key);
      return codec.decode(
          present.isPresent()
              ? patch(key, present.get(), change, part)
              : create(key, fresh.get(), change, part));
    });
  }

  private JsonObject create(
      Request key, JsonObject fresh, Function<JsonObject, Edit> change, Part part) {
    Edit edit = edited(key, fresh, change);
    JsonObject stored = resource.create(key.namespace(), edit.after());
    JsonElement status = edit.after().get(STATUS);
    boolean more = part == Part.BOTH && status != null && !status.equals(stored.get(STATUS));
    // What a dry run creates is not there.
    return more && !resource.writeOptions().dryRun() ? patchStatus(key, stored, status) : stored;
  }

  private JsonObject patch(
      Request key, JsonObject tree, Function<JsonObject, Edit> change, Part part) {
    Edit edit = edited(key, tree, change);
    JsonObject patch = MergePatch.diff(edit.before(), edit.after());
    JsonElement status = part == Part.BOTH ? patch.remove(STATUS) : null;
    JsonObject stored = tree;
    if (!patch.isEmpty()) {
      stored = send(key, part == Part.STATUS ? "/status" : "", tree, patch);
    }
    return status == null ? stored : patchStatus(key, stored, status);
  }

  private JsonObject patchStatus(Request key, JsonObject stored, JsonElement status) {
    JsonObject patch = new JsonObject();
    patch.add(STATUS, status);
    return send(key, "/status", stored, patch);
  }

  /** A merge patch replaces lists as a whole, so it must be refused when the object has changed. */
  private JsonObject send(Request key, String subresource, JsonObject read, JsonObject patch) {
    JsonObject metadata =
        patch.get("metadata") instanceof JsonObject changed ? changed : new JsonObject();
    metadata.addProperty("resourceVersion", ObjectCodec.resourceVersion(read));
    patch.add("metadata", metadata);
    return resource.mergePatch(key, subresource, patch);
  }

  private Edit edited(Request key, JsonObject tree, Function<JsonObject, Edit> change) {
    Edit edit = change.apply(tree);
    String meant = name(edit.before());
    String now = name(edit.after());
    if (!meant.equals(now)) {
      throw new IllegalArgumentException(
          "the change of "
              + resource.type().kind()
              + " "
              + key
              + " made it "
              + now
              + ": name and namespace cannot be changed");
    }
    return edit;
  }

  private String name(JsonObject tree) {
    JsonElement metadata = tree.get("metadata");
    String name = Json.text(metadata, "name");
    return resource.type().namespaced() ? Json.text(metadata, "namespace") + "/" + name : name;
  }

  /** The metadata of an unstructured object is a copy: a change of it would be lost silently. */
  void requireChangeable() {
    if (resource.type().type() == Unstructured.class) {
      throw new UnsupportedOperationException(
          "an unstructured "
              + resource.type().kind()
              + " cannot be changed in place: use modifyJson or createOrPatchJson");
    }
  }
}
