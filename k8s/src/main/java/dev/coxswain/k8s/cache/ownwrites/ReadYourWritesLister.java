// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A lister of a cache that includes the writes of this process that the cache has not received yet.
 *
 * <p>Thread rule: any thread; nothing blocks.
 *
 * @param <T> the class of the objects
 */
public final class ReadYourWritesLister<T extends KubernetesObject>
    implements Lister<T>, AutoCloseable {

  private final Lister<T> cache;
  private final Class<T> type;

  /** By the namespace of their cache, which is empty for all. */
  private final Map<String, PendingWrites> pendingWrites;

  private final Predicate<Request> shown;
  private final ReadYourWritesLister<T> owned;
  private final Runnable onClose;

  ReadYourWritesLister(
      Lister<T> cache, Class<T> type, Map<String, PendingWrites> pendingWrites, Runnable onClose) {
    this(cache, type, pendingWrites, key -> true, onClose, null);
  }

  /** Creates a lister that includes the writes of some objects. */
  private ReadYourWritesLister(
      Lister<T> cache,
      Class<T> type,
      Map<String, PendingWrites> pendingWrites,
      Predicate<Request> shown,
      Runnable onClose,
      @Nullable ReadYourWritesLister<T> owned) {
    this.owned = owned == null ? this : owned;
    this.shown = shown;
    this.cache = cache;
    this.type = type;
    this.pendingWrites = Map.copyOf(pendingWrites);
    this.onClose = onClose;
  }

  @Override
  public Optional<T> get(Request key) {
    OwnState own = find(key);
    return own == null ? cache.get(key) : decode(own);
  }

  private @Nullable OwnState find(Request key) {
    PendingWrites ofNamespace = pendingWrites.get(key.namespace());
    PendingWrites own = ofNamespace == null ? pendingWrites.get("") : ofNamespace;
    return own != null && shown.test(key) ? own.find(key) : null;
  }

  private Set<Request> writtenKeys() {
    Set<Request> all = new HashSet<>();
    pendingWrites.values().forEach(own -> all.addAll(own.keys()));
    return all.isEmpty() ? all : all.stream().filter(shown).collect(Collectors.toUnmodifiableSet());
  }

  private Optional<T> decode(OwnState own) {
    byte @Nullable [] json = own.json();
    return json == null ? Optional.empty() : Optional.of(Json.decode(json, type));
  }

  @Override
  public boolean contains(Request key) {
    OwnState own = find(key);
    return own == null ? cache.contains(key) : own.json() != null;
  }

  @Override
  public List<Request> keys() {
    Set<Request> own = writtenKeys();
    List<Request> cached = cache.keys();
    if (own.isEmpty()) {
      return cached;
    }
    List<Request> all = new ArrayList<>(cached.size() + own.size());
    cached.stream().filter(key -> !own.contains(key)).forEach(all::add);
    own.stream().filter(this::contains).forEach(all::add);
    return all;
  }

  @Override
  public List<T> list() {
    Set<Request> own = writtenKeys();
    return own.isEmpty() ? cache.list() : select(own);
  }

  @Override
  public List<T> list(String namespace) {
    Set<Request> own = writtenKeys();
    List<T> found = new ArrayList<>(cache.list(namespace));
    if (!own.isEmpty()) {
      found.removeIf(object -> own.contains(keyOf(object)));
      own.stream()
          .filter(key -> key.namespace().equals(namespace))
          .forEach(key -> get(key).ifPresent(found::add));
    }
    return found;
  }

  @Override
  public List<T> list(LabelSelector selector) {
    Set<Request> own = writtenKeys();
    List<T> selected = new ArrayList<>(cache.list(selector));
    if (!own.isEmpty()) {
      selected.removeIf(object -> own.contains(keyOf(object)));
      own.forEach(key ->
          get(key).filter(object -> selector.matches(labels(object))).ifPresent(selected::add));
    }
    return selected;
  }

  private static @Nullable Map<String, String> labels(KubernetesObject object) {
    @Nullable V1ObjectMeta metadata = object.getMetadata();
    return metadata == null ? null : metadata.getLabels();
  }

  @Override
  public List<T> list(Index<T> index, String value) {
    Set<Request> own = writtenKeys();
    List<T> found = new ArrayList<>(cache.list(index, value));
    if (!own.isEmpty()) {
      found.removeIf(object -> own.contains(keyOf(object)));
      own.forEach(key -> get(key).filter(object -> index.has(object, value)).ifPresent(found::add));
    }
    return found;
  }

  private static Request keyOf(KubernetesObject object) {
    V1ObjectMeta metadata = object.getMetadata();
    @Nullable String namespace = metadata.getNamespace();
    return new Request(namespace == null ? "" : namespace, String.valueOf(metadata.getName()));
  }

  /**
   * The pending writes are read before the cache: a write that is settled in between is in both.
   */
  private List<T> select(Set<Request> own) {
    List<T> all = new ArrayList<>();
    for (Request key : cache.keys()) {
      if (!own.contains(key)) {
        cache.get(key).ifPresent(all::add);
      }
    }
    own.forEach(key -> get(key).ifPresent(all::add));
    return all;
  }

  /** Returns how many writes were dropped before the cache had received them. */
  public long forgotten() {
    return pendingWrites.values().stream().mapToLong(PendingWrites::forgotten).sum();
  }

  /**
   * Returns the reads of what belongs to the requests of kept slots, and of the own writes except
   * those of objects that belong to other requests by their names; see {@link InformerHandle#owned}.
   */
  public Lister<T> owned() {
    return owned;
  }

  /** Ends the recording of writes; the cache is not closed. */
  @Override
  public void close() {
    onClose.run();
  }

  /** Creates a lister for {@link RecentWrites}. */
  static <T extends KubernetesObject> ReadYourWritesLister<T> over(
      InformerHandle<T> cache, Map<String, PendingWrites> pendingWrites, Runnable onClose) {
    Class<T> type = cache.selections().getFirst().type().type();
    ReadYourWritesLister<T> owned =
        new ReadYourWritesLister<>(
            cache.owned(), type, pendingWrites, key -> !cache.isForeign(key), () -> {}, null);
    return new ReadYourWritesLister<>(cache, type, pendingWrites, key -> true, onClose, owned);
  }
}
