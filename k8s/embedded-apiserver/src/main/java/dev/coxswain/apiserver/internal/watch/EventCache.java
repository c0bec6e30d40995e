// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Printed events of one change, so that many watchers share the bytes; used once, on the server's
 * event loop.
 */
final class EventCache {
  /** One form; watchers differ in few of them, so that looking through all is the fastest. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Printed(
      String type, ServedResource resource, Rendering.Shape shape, byte[] event) {
    @SuppressWarnings("ReferenceEquality") // comparing resources would look at their schemas
    boolean is(String otherType, ServedResource other, Rendering.Shape otherShape) {
      return type.equals(otherType)
          && shape == otherShape
          && resource.type() == other.type()
          && resource.version() == other.version();
    }
  }

  private final ObjectCollection collection;
  private final Rendering rendering;
  private final List<Printed> printed = new ArrayList<>(1);
  private @Nullable StoredObject leaving;

  EventCache(ObjectCollection collection, Rendering rendering) {
    this.collection = collection;
    this.rendering = rendering;
  }

  byte[] event(String type, ServedResource resource, StoredObject object, Rendering.Shape shape) {
    for (Printed one : printed) {
      if (one.is(type, resource, shape)) {
        return one.event;
      }
    }
    byte[] event = rendering.event(type, resource, object, shape);
    printed.add(new Printed(type, resource, shape, event));
    return event;
  }

  /**
   * The state before, under the new version: what a watcher receives of an object that stops matching.
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
