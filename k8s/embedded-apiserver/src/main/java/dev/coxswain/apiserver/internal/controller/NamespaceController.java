// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import dev.coxswain.apiserver.internal.operation.DeleteOptions;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Empties namespaces that are being deleted, then removes them; confined to the server's event
 * loop.
 */
final class NamespaceController {
  static final String STORAGE = "/namespaces";

  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Deletes deletes;

  NamespaceController(ResourceRegistry registry, ObjectStore store, Deletes deletes) {
    this.registry = registry;
    this.store = store;
    this.deletes = deletes;
  }

  /** Does what a namespace needs now; does nothing for one that is alive. */
  void sync(String name) {
    ResourceType namespaces = Objects.requireNonNull(registry.type("", "namespaces"));
    StoredObject namespace = store.collection(namespaces).get("", name);
    if (namespace == null || !namespace.deleting()) {
      return;
    }
    int left = 0;
    Set<String> seen = new HashSet<>();
    for (ResourceType type : List.copyOf(registry.all())) {
      if (!type.namespaced() || !type.stored() || !seen.add(type.storage())) {
        continue;
      }
      ObjectCollection collection = store.collection(type);
      for (StoredObject object : List.copyOf(collection.range(name).values())) {
        if (!object.deleting()) {
          deletes.delete(type, object, new DeleteOptions(false, 0L, "Background", "", ""));
        }
      }
      left += collection.range(name).size();
    }
    if (left == 0 && foreignFinalizers(namespace) == 0) {
      store.delete(store.collection(namespaces), namespace);
    }
  }

  private static int foreignFinalizers(StoredObject namespace) {
    int count = namespace.bareTree().path("metadata").path("finalizers").size();
    for (var finalizer : namespace.bareTree().path("spec").path("finalizers")) {
      count += finalizer.asText().equals("kubernetes") ? 0 : 1;
    }
    return count;
  }
}
