// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.conversion.Conversions;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import io.vertx.core.Context;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the controllers behind writes; confined to the server's event loop.
 *
 * <p>Work is remembered by subject, so that a burst of writes to one object is looked at once, and
 * done in a later turn of the loop, in slices, so that requests get their turn in between.
 */
public final class Controllers {
  private static final Logger LOG = LoggerFactory.getLogger(Controllers.class);
  private static final int SLICE = 50;

  private final Context context;
  private final DefinitionController definitions;
  private final NamespaceController namespaces;
  private final GarbageCollector garbage;
  private final Map<Object, Runnable> work = new LinkedHashMap<>();
  private boolean scheduled;

  private record Key(String controller, String name) {}

  /** Creates the controllers and listens to {@code store}. */
  public Controllers(
      Context context,
      ResourceRegistry registry,
      ObjectStore store,
      Deletes deletes,
      WatchHub watches,
      Conversions conversions) {
    this.context = context;
    this.definitions =
        new DefinitionController(
            registry,
            store,
            deletes,
            watches,
            new StorageMigration(context.owner(), registry, store, conversions, watches));
    this.namespaces = new NamespaceController(registry, store, deletes);
    this.garbage = new GarbageCollector(registry, store, deletes);
    store.onChange(this::changed);
  }

  /** Serves what a definition describes that an earlier server had accepted. */
  public void serve(ObjectNode definition) {
    definitions.serve(definition);
  }

  /** Converts objects that an earlier server stored to the form of the present definitions. */
  public void refreshAll() {
    definitions.refreshAll();
  }

  /** Returns whether nothing is left to be done. */
  public boolean isIdle() {
    return work.isEmpty();
  }

  private void changed(ObjectCollection collection, Change change) {
    StoredObject object = change.current();
    String storage = collection.storage();
    if (storage.equals(DefinitionController.STORAGE)) {
      later(new Key("definition", object.name()), () -> definitions.sync(object.name()));
    }
    if (storage.equals(NamespaceController.STORAGE)) {
      if (object.deleting() && !change.deleted()) {
        later(new Key("namespace", object.name()), () -> namespaces.sync(object.name()));
      }
    } else if (change.deleted()) {
      if (!object.namespace().isEmpty()) {
        later(new Key("namespace", object.namespace()), () -> namespaces.sync(object.namespace()));
      }
      String definition = definition(storage);
      later(new Key("definition", definition), () -> definitions.sync(definition));
    }
    for (GarbageCollector.Ref ref : garbage.index(collection, change)) {
      later(ref, () -> garbage.sync(ref));
    }
  }

  private static String definition(String storage) {
    int slash = storage.indexOf('/');
    return storage.substring(slash + 1) + "." + storage.substring(0, slash);
  }

  private void later(Object key, Runnable task) {
    work.put(key, task);
    if (!scheduled) {
      scheduled = true;
      context.runOnContext(v -> drain());
    }
  }

  private void drain() {
    scheduled = false;
    for (int i = 0; i < SLICE && !work.isEmpty(); i++) {
      Object key = work.keySet().iterator().next();
      Runnable task = work.remove(key);
      try {
        if (task != null) {
          task.run();
        }
      } catch (RuntimeException e) {
        LOG.atError().addKeyValue("subject", key).setCause(e).log("embedded controller failed");
      }
    }
    if (!work.isEmpty() && !scheduled) {
      scheduled = true;
      // A task would come before the requests that wait, a timer comes after them.
      context.owner().timer(1, TimeUnit.NANOSECONDS).onSuccess(rung -> drain());
    }
  }
}
