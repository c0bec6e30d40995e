// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.conversion.Conversions;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts the stored objects of a definition with a conversion webhook when its stored version
 * changes. All objects of a resource are stored in one version; until all are converted, that is the
 * former one. Confined to the server's event loop.
 */
final class StorageMigration {
  private static final Logger LOG = LoggerFactory.getLogger(StorageMigration.class);
  private static final long RETRY_MILLIS = 1000;

  private final Vertx vertx;
  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Conversions conversions;
  private final WatchHub watches;

  StorageMigration(
      Vertx vertx,
      ResourceRegistry registry,
      ObjectStore store,
      Conversions conversions,
      WatchHub watches) {
    this.vertx = vertx;
    this.registry = registry;
    this.store = store;
    this.conversions = conversions;
    this.watches = watches;
  }

  /**
   * Begins a migration when one is needed.
   *
   * @param before what has been served so far, null for a new definition
   * @return what is to be served meanwhile, with the former stored version; null when nothing is to
   *     be converted
   */
  @Nullable ResourceType begin(@Nullable ResourceType before, ResourceType after) {
    ResourceType.Conversion was = before == null ? null : before.conversion();
    ResourceType.Conversion now = after.conversion();
    if (before != null && (was != null || now != null)) {
      watches.closeAll(after.storage()); // they go on with what is served now
    }
    if (was == null
        || now == null
        || was.stored().name().equals(now.stored().name())
        || store.collection(after).size() == 0) {
      return null;
    }
    ResourceType between =
        after.converting(new ResourceType.Conversion(was.stored(), now.webhook()));
    vertx.runOnContext(v -> run(between, after));
    return between;
  }

  @SuppressWarnings("ReferenceEquality") // a newer definition has a migration of its own
  private void run(ResourceType between, ResourceType after) {
    ResourceType.Conversion from = between.conversion();
    ResourceType.Conversion to = after.conversion();
    if (registry.type(after.group(), after.plural()) != between || from == null || to == null) {
      return;
    }
    ObjectCollection collection = store.collection(after);
    List<StoredObject> objects = List.copyOf(collection.range("").values());
    List<ObjectNode> trees = new ArrayList<>();
    objects.forEach(object -> trees.add(object.tree(between, from.stored())));
    conversions
        .convert(between, trees, to.stored(), true)
        .onSuccess(converted -> {
          if (registry.type(after.group(), after.plural()) != between) {
            return;
          }
          if (!List.copyOf(collection.range("").values()).equals(objects)) {
            run(between, after); // some were written meanwhile
            return;
          }
          for (int i = 0; i < objects.size(); i++) {
            collection.refresh(objects.get(i), converted.get(i));
          }
          store.compact(collection); // the history has the former version
          registry.put(after);
          watches.closeAll(after.storage());
        })
        .onFailure(e -> {
          LOG.atWarn()
              .addKeyValue("resource", after.storage())
              .addKeyValue("error", String.valueOf(e.getMessage()))
              .log("stored objects not converted, retrying");
          vertx.setTimer(RETRY_MILLIS, id -> run(between, after));
        });
  }
}
