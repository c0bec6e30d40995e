// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Printed events of one change, so that many watchers share the bytes; used once, on the server's
 * event loop.
 */
final class EventCache {
  private record Key(String type, ServedResource resource, Rendering.Shape shape) {}

  private final ObjectCollection collection;
  private final Rendering rendering;
  private final Map<Key, byte[]> printed = new HashMap<>();
  private @Nullable StoredObject leaving;

  EventCache(ObjectCollection collection, Rendering rendering) {
    this.collection = collection;
    this.rendering = rendering;
  }

  byte[] event(String type, ServedResource resource, StoredObject object, Rendering.Shape shape) {
    return printed.computeIfAbsent(
        new Key(type, resource, shape), k -> rendering.event(type, resource, object, shape));
  }

  /**
   * The state before, under the new version: what a watcher sees of an object that stops matching.
   */
  StoredObject leaving(Change change, StoredObject previous) {
    StoredObject made = leaving;
    if (made == null) {
      ObjectNode tree = previous.bareTree();
      made = ObjectStore.preview(collection, tree, change.version());
      leaving = made;
    }
    return made;
  }
}
