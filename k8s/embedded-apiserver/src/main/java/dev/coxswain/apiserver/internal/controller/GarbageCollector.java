// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.operation.DeleteOptions;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what has lost its owners, and works off the foreground and orphan finalizers; confined to
 * the server's event loop.
 */
final class GarbageCollector {
  private static final byte[] OWNERS = "\"ownerReferences\":".getBytes(StandardCharsets.UTF_8);

  /** The place of an object; immutable. */
  record Ref(String storage, String namespace, String name) {}

  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Deletes deletes;
  private final Map<String, Ref> byUid = new HashMap<>();
  private final Map<String, Set<Ref>> dependents = new HashMap<>();
  private final Map<Ref, Set<String>> owners = new HashMap<>();

  GarbageCollector(ResourceRegistry registry, ObjectStore store, Deletes deletes) {
    this.registry = registry;
    this.store = store;
    this.deletes = deletes;
  }

  /** Updates the index; returns the objects to check afterwards. */
  List<Ref> index(ObjectCollection collection, Change change) {
    StoredObject object = change.current();
    Ref ref = new Ref(collection.storage(), object.namespace(), object.name());
    Set<String> before = owners.getOrDefault(ref, Set.of());
    Set<String> now = change.deleted() ? Set.of() : owners(object);
    for (String uid : before) {
      Set<Ref> set = dependents.get(uid);
      if (set != null && !now.contains(uid)) {
        set.remove(ref);
        if (set.isEmpty()) {
          dependents.remove(uid);
        }
      }
    }
    now.forEach(uid -> dependents.computeIfAbsent(uid, k -> new LinkedHashSet<>()).add(ref));
    Map<Ref, Boolean> look = new LinkedHashMap<>();
    if (change.deleted()) {
      byUid.remove(object.uid());
      owners.remove(ref);
      dependents.getOrDefault(object.uid(), Set.of()).forEach(d -> look.put(d, true));
      for (String uid : before) { // an owner that waits for its dependents
        Ref owner = byUid.get(uid);
        if (owner != null) {
          look.put(owner, true);
        }
      }
    } else {
      byUid.put(object.uid(), ref);
      if (now.isEmpty()) {
        owners.remove(ref);
      } else {
        owners.put(ref, now);
      }
      if (!now.isEmpty() || object.deleting()) {
        look.put(ref, true);
      }
    }
    return List.copyOf(look.keySet());
  }

  private static Set<String> owners(StoredObject object) {
    if (!contains(object.body(), OWNERS)) {
      return Set.of(); // saves parsing nearly every object
    }
    Set<String> uids = new LinkedHashSet<>();
    for (JsonNode owner : object.bareTree().path("metadata").path("ownerReferences")) {
      uids.add(Json.text(owner, "uid"));
    }
    return uids;
  }

  private static boolean contains(byte[] text, byte[] part) {
    outer:
    for (int i = 0; i <= text.length - part.length; i++) {
      for (int j = 0; j < part.length; j++) {
        if (text[i + j] != part[j]) {
          continue outer;
        }
      }
      return true;
    }
    return false;
  }

  /** Does what an object needs now. */
  void sync(Ref ref) {
    Located located = locate(ref);
    if (located == null) {
      return;
    }
    ResourceType type = located.type();
    StoredObject object = located.object();
    ObjectNode tree = object.bareTree();
    if (object.deleting()) {
      for (JsonNode finalizer : tree.path("metadata").path("finalizers")) {
        if (finalizer.asText().equals("foregroundDeletion")) {
          foreground(type, object, tree);
          return;
        }
        if (finalizer.asText().equals("orphan")) {
          orphan(type, object, tree);
          return;
        }
      }
      return;
    }
    collect(type, object, tree);
  }

  private void collect(ResourceType type, StoredObject object, ObjectNode tree) {
    JsonNode references = tree.path("metadata").path("ownerReferences");
    if (references.isEmpty()) {
      return;
    }
    ArrayNode alive = Json.array();
    boolean waiting = false;
    for (JsonNode reference : references) {
      StoredObject owner = owner(reference);
      if (owner != null) {
        alive.add(reference);
        waiting |= owner.deleting() && waitsForDependents(owner);
      }
    }
    if (alive.isEmpty()) {
      deletes.delete(type, object, DeleteOptions.BACKGROUND);
    } else if (waiting && alive.size() == 1) {
      deletes.delete(type, object, new DeleteOptions(false, null, "Foreground", "", ""));
    } else if (alive.size() < references.size()) {
      Json.ensure(tree, "metadata").set("ownerReferences", alive);
      store.put(store.collection(type), object, tree);
    }
  }

  private static boolean waitsForDependents(StoredObject owner) {
    for (JsonNode finalizer : owner.bareTree().path("metadata").path("finalizers")) {
      if (finalizer.asText().equals("foregroundDeletion")) {
        return true;
      }
    }
    return false;
  }

  private @Nullable StoredObject owner(JsonNode reference) {
    Ref ref = byUid.get(Json.text(reference, "uid"));
    Located located = ref == null ? null : locate(ref);
    return located == null ? null : located.object();
  }

  private record Located(ResourceType type, StoredObject object) {}

  private List<Located> dependents(StoredObject owner) {
    List<Located> found = new ArrayList<>();
    for (Ref ref : dependents.getOrDefault(owner.uid(), Set.of())) {
      Located located = locate(ref);
      if (located != null) {
        found.add(located);
      }
    }
    return found;
  }

  private @Nullable Located locate(Ref ref) {
    ResourceType type = type(ref.storage());
    StoredObject object =
        type == null ? null : store.collection(type).get(ref.namespace(), ref.name());
    return type == null || object == null ? null : new Located(type, object);
  }

  /** Dependents go first; the owner when none blocks it any more. */
  private void foreground(ResourceType type, StoredObject object, ObjectNode tree) {
    boolean blocked = false;
    for (Located located : dependents(object)) {
      ResourceType dependentType = located.type();
      StoredObject dependent = located.object();
      for (JsonNode owner : dependent.bareTree().path("metadata").path("ownerReferences")) {
        blocked |=
            Json.text(owner, "uid").equals(object.uid())
                && owner.path("blockOwnerDeletion").asBoolean();
      }
      if (!dependent.deleting()) {
        collect(dependentType, dependent, dependent.bareTree());
      }
    }
    boolean gone = dependents.getOrDefault(object.uid(), Set.of()).isEmpty();
    if (gone || !blocked) {
      finish(type, object, tree, "foregroundDeletion");
    }
  }

  /** References of dependents are removed, then the owner. */
  private void orphan(ResourceType type, StoredObject object, ObjectNode tree) {
    for (Located located : dependents(object)) {
      ResourceType dependentType = located.type();
      StoredObject dependent = located.object();
      ObjectNode copy = dependent.bareTree();
      ArrayNode kept = Json.array();
      for (JsonNode owner : copy.path("metadata").path("ownerReferences")) {
        if (!Json.text(owner, "uid").equals(object.uid())) {
          kept.add(owner);
        }
      }
      if (kept.isEmpty()) {
        Json.ensure(copy, "metadata").remove("ownerReferences");
      } else {
        Json.ensure(copy, "metadata").set("ownerReferences", kept);
      }
      store.put(store.collection(dependentType), dependent, copy);
    }
    finish(type, object, tree, "orphan");
  }

  private void finish(ResourceType type, StoredObject object, ObjectNode tree, String finalizer) {
    ArrayNode left = Json.array();
    for (JsonNode f : tree.path("metadata").path("finalizers")) {
      if (!f.asText().equals(finalizer)) {
        left.add(f);
      }
    }
    ObjectCollection collection = store.collection(type);
    if (left.isEmpty()) {
      store.delete(collection, object);
    } else {
      Json.ensure(tree, "metadata").set("finalizers", left);
      store.put(collection, object, tree);
    }
  }

  private @Nullable ResourceType type(String storage) {
    int slash = storage.indexOf('/');
    return registry.type(storage.substring(0, slash), storage.substring(slash + 1));
  }
}
