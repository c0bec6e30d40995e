// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A cache that follows a {@link ModelServer} step by step. */
final class ModelCache implements Lister<Unstructured> {

  final CacheProgress progress = new CacheProgress();
  private final ModelServer server;
  private final Map<Request, JsonObject> objects = new HashMap<>();
  private int told;

  private @Nullable Map<Request, JsonObject> listing;
  private long listingVersion;

  ModelCache(ModelServer server) {
    this.server = server;
  }

  boolean isListing() {
    return listing != null;
  }

  boolean isBehind() {
    return listing != null || told < server.changes.size();
  }

  void beginList() {
    progress.listBegins();
    listing = server.list();
    listingVersion = server.version;
    told = server.changes.size();
  }

  void endList() {
    Map<Request, JsonObject> found = listing;
    if (found != null) {
      objects.clear();
      objects.putAll(found);
      progress.listed(Long.toString(listingVersion));
      listing = null;
    }
  }

  void followOne() {
    if (listing == null && told < server.changes.size()) {
      ModelServer.Change change = server.changes.get(told++);
      if (change.object() == null) {
        objects.remove(change.key());
      } else {
        objects.put(change.key(), change.object());
      }
      progress.watched(Long.toString(change.version()));
    }
  }

  /** A bookmark is sent after all events. */
  void bookmark() {
    if (!isBehind()) {
      progress.watched(Long.toString(server.version));
    }
  }

  @Nullable ObjectVersion version(Request key) {
    JsonObject object = objects.get(key);
    return object == null
        ? null
        : new ObjectVersion(
            WriteResponse.text(WriteResponse.metadata(object), "uid"),
            WriteResponse.text(WriteResponse.metadata(object), "resourceVersion"));
  }

  @Override
  public Optional<Unstructured> get(Request key) {
    return Optional.ofNullable(objects.get(key)).map(Unstructured::of);
  }

  @Override
  public boolean contains(Request key) {
    return objects.containsKey(key);
  }

  @Override
  public List<Request> keys() {
    return List.copyOf(objects.keySet());
  }

  @Override
  public List<Unstructured> list() {
    return objects.values().stream().map(Unstructured::of).toList();
  }

  @Override
  public List<Unstructured> list(String namespace) {
    return list();
  }

  @Override
  public List<Unstructured> list(LabelSelector selector) {
    return list();
  }

  @Override
  public List<Unstructured> list(Index<Unstructured> index, String value) {
    return list().stream().filter(object -> index.has(object, value)).toList();
  }
}
