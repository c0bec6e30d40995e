// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.conversion;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.webhook.PendingException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The conversions that one request needs. A conversion that is not there yet ends the verb with a
 * {@link PendingException}, and a failed one with a 500. Confined to the server's event loop.
 */
public final class ConversionCache {
  /** For writes of the server itself, which cannot wait for a webhook. */
  public static final ConversionCache NONE = new ConversionCache(null);

  private record Key(ObjectNode object, String version) {}

  private final @Nullable Conversions conversions;
  private final Map<Key, ObjectNode> converted = new HashMap<>();
  private @Nullable ApiException failure;

  /** Creates the cache of a request. */
  public ConversionCache(@Nullable Conversions conversions) {
    this.conversions = conversions;
  }

  /**
   * Returns stored objects in the version of a request, in the same order.
   *
   * @param list whether the request is for a list, which a failure names
   */
  public List<StoredObject> read(
      ServedResource resource, List<StoredObject> stored, ObjectStore store, boolean list) {
    ResourceType.Conversion conversion = resource.type().conversion();
    if (conversion == null || !resource.converted()) {
      return stored;
    }
    List<ObjectNode> trees = new ArrayList<>();
    for (StoredObject object : stored) {
      trees.add(object.tree(resource.type(), conversion.stored()));
    }
    List<ObjectNode> made = all(resource.type(), trees, resource.version(), list);
    List<StoredObject> result = new ArrayList<>();
    for (int i = 0; i < made.size(); i++) {
      result.add(
          ObjectStore.preview(
              store.collection(resource.type()), made.get(i).deepCopy(), stored.get(i).version()));
    }
    return result;
  }

  /** Returns the tree of a stored object in the version of a request, with kind and apiVersion. */
  public ObjectNode tree(ServedResource resource, StoredObject object) {
    ResourceType.Conversion conversion = resource.type().conversion();
    if (conversion == null || !resource.converted()) {
      return object.tree(resource.type(), resource.version());
    }
    ObjectNode stored = object.tree(resource.type(), conversion.stored());
    return one(resource.type(), stored, resource.version());
  }

  /** Returns an object of a request in the stored version; both have kind and apiVersion. */
  public ObjectNode stored(ServedResource resource, ObjectNode object) {
    ResourceType.Conversion conversion = resource.type().conversion();
    return conversion == null || !resource.converted()
        ? object
        : one(resource.type(), object, conversion.stored());
  }

  /** Returns an object of the stored version in that of a request. */
  public ObjectNode back(ServedResource resource, ObjectNode stored) {
    return one(resource.type(), stored, resource.version());
  }

  private ObjectNode one(ResourceType type, ObjectNode object, ResourceType.Version to) {
    return all(type, List.of(object), to, false).getFirst().deepCopy();
  }

  private List<ObjectNode> all(
      ResourceType type, List<ObjectNode> objects, ResourceType.Version to, boolean list) {
    if (failure != null) {
      throw failure;
    }
    List<ObjectNode> missing = new ArrayList<>();
    List<ObjectNode> made = new ArrayList<>();
    for (ObjectNode object : objects) {
      ObjectNode found = converted.get(new Key(object, to.name()));
      if (found == null) {
        missing.add(object.deepCopy());
      } else {
        made.add(found);
      }
    }
    if (missing.isEmpty()) {
      return made;
    }
    Conversions webhook = conversions;
    if (webhook == null) {
      throw ApiException.internal(
          "objects of version %s need a conversion webhook here; write them in the stored version"
              .formatted(to.name()));
    }
    throw new PendingException(() ->
        webhook
            .convert(type, missing, to, list)
            .onSuccess(results -> {
              for (int i = 0; i < results.size(); i++) {
                converted.put(
                    new Key(missing.get(i), to.name()), Objects.requireNonNull(results.get(i)));
              }
            })
            .onFailure(e -> failure = ApiException.internal(String.valueOf(e.getMessage()))));
  }
}
