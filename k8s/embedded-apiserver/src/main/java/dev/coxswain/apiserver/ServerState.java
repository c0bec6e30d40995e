// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import dev.coxswain.apiserver.internal.controller.Controllers;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All objects of an {@link EmbeddedApiServer} at once, for test kits that run many tests on one server.
 *
 * <p>Any thread that may wait; event-loop threads are refused with {@link IllegalStateException}.
 */
public final class ServerState {
  private static final Set<String> FIRST_NAMESPACES =
      Set.of("default", "kube-system", "kube-public", "kube-node-lease");
  private static final String DEFINITIONS = "apiextensions.k8s.io";
  private static final long BUSY = -1;

  private final LoopAccess loop;
  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Controllers controllers;
  private final WatchHub watches;

  ServerState(
      LoopAccess loop,
      ResourceRegistry registry,
      ObjectStore store,
      Controllers controllers,
      WatchHub watches) {
    this.loop = loop;
    this.registry = registry;
    this.store = store;
    this.controllers = controllers;
    this.watches = watches;
  }

  /** Returns every stored object as JSON with kind and apiVersion, ordered by resource, namespace and name. */
  public List<String> objects() {
    return loop.call(() -> {
      List<String> all = new ArrayList<>();
      Set<String> seen = new HashSet<>(); // some resources are served in two groups
      for (ResourceType type : registry.all()) {
        if (type.stored() && seen.add(type.storage())) {
          store
              .collection(type)
              .range("")
              .values()
              .forEach(object -> all.add(object.tree(type, type.versions().getFirst()).toString()));
        }
      }
      return all;
    });
  }

  /**
   * Lets the controllers of the server act (garbage collection, namespaces, definitions) until none
   * has work, then sends a bookmark on every watch that takes them.
   *
   * @return the newest version, which the bookmarks have at least
   */
  public long settle() {
    while (true) {
      long version = loop.call(this::bookmarkWhenIdle);
      if (version != BUSY) {
        return version;
      }
      // each call gives the event loop a turn
    }
  }

  /** Returns the newest version: that of the last write that changed something. */
  public long version() {
    return loop.call(store::version);
  }

  private long bookmarkWhenIdle() {
    if (!controllers.isIdle()) {
      return BUSY;
    }
    watches.bookmark();
    return store.version();
  }

  /**
   * Removes every object but definitions and the namespaces of a new server, whatever finalizers it
   * has. Watches receive the deletions.
   */
  public void clear() {
    loop.run(() -> registry.all().stream().filter(ResourceType::stored).forEach(this::clear));
    settle();
  }

  private void clear(ResourceType type) {
    if (type.group().equals(DEFINITIONS)) {
      return;
    }
    ObjectCollection collection = store.collection(type);
    boolean namespaces = type.is("", "namespaces");
    for (StoredObject object : List.copyOf(collection.range("").values())) {
      if (!namespaces || !FIRST_NAMESPACES.contains(object.name())) {
        store.delete(collection, object);
      }
    }
  }
}
