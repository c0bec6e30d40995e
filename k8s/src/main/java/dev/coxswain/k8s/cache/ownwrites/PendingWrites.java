// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.cache.UndecodableObjectException;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of this process that one cache may not have received yet.
 *
 * <p>Thread rule: any thread.
 *
 * <h2>When a write is settled</h2>
 *
 * When the cache has followed the server to the version that was written, or contains a list that
 * began after the server's response. The second also holds after a server has been restored from a
 * backup, when versions begin again from lower ones. From then on, only the cache is read.
 *
 * <h2>Deletions</h2>
 *
 * A server does not return the version of a deletion. A deleted incarnation never comes back,
 * though, so it can be hidden for as long as the cache contains it. Whether another incarnation is
 * older or newer cannot be determined: it is shown, unless the cache has not even reached the
 * version at which the deleted one was last read.
 *
 * <h2>Bound</h2>
 *
 * Settled states are dropped as others are added; beyond the limit the oldest ones are dropped
 * unsettled, which is counted and logged.
 */
final class PendingWrites {

  private static final Logger log = LoggerFactory.getLogger(PendingWrites.class);
  private static final int LOOK_AT = 16;

  private final String describe;
  private final CacheProgress progress;
  private final Function<Request, @Nullable ObjectVersion> cache;
  private final Function<JsonObject, byte[]> keep;
  private final String namespace;
  private final boolean selective;
  private final LabelSelector selector;
  private final int limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Request, OwnState> states = new LinkedHashMap<>();
  private long forgotten;

  /**
   * Creates an empty set of writes.
   *
   * @param describe the cache, for logs
   * @param progress the progress of the cache
   * @param cache returns the version of an object in the cache, or null
   * @param keep returns an object as the cache stores it; throws {@link JsonParseException} or
   *     {@link UndecodableObjectException} for others
   * @param namespace the namespace of the cache, empty for all
   * @param labelSelector the label selector of the cache, empty for all
   * @param limit the maximum number of writes
   */
  PendingWrites(
      String describe,
      CacheProgress progress,
      Function<Request, @Nullable ObjectVersion> cache,
      Function<JsonObject, byte[]> keep,
      String namespace,
      String labelSelector,
      int limit) {
    this.describe = describe;
    this.progress = progress;
    this.cache = cache;
    this.keep = keep;
    this.namespace = namespace;
    this.selective = !labelSelector.isEmpty();
    this.selector = LabelSelector.parse(labelSelector);
    this.limit = limit;
  }

  // Writes

  void written(Request key, JsonObject stored) {
    if (!concerns(key)) {
      return;
    }
    JsonObject metadata = WriteResponse.metadata(stored);
    String uid = WriteResponse.text(metadata, "uid");
    String version = WriteResponse.text(metadata, "resourceVersion");
    if (WriteResponse.isGone(stored)) {
      gone(key, uid, version);
      return;
    }
    byte[] json;
    try {
      json = selector.matches(WriteResponse.labels(stored)) ? keep.apply(stored) : null;
    } catch (JsonParseException | UndecodableObjectException e) {
      // A read reports it when the cache has received it.
      return;
    }
    lock.lock();
    try {
      OwnState before = states.get(key);
      if (before != null && !isSettled(key, before) && isLate(before, uid, version)) {
        return;
      }
      put(key, new OwnState(uid, version, json, Set.of(), progress.listsBegun(), seen(key)));
    } finally {
      lock.unlock();
    }
  }

  void deleted(Request key, JsonObject response) {
    if (!WriteResponse.isDeleted(response)) {
      // Not gone yet, because of a finalizer or a grace period: this is its newest state.
      written(key, response);
    } else if (concerns(key)) {
      gone(
          key,
          WriteResponse.deletedUid(response),
          WriteResponse.text(WriteResponse.metadata(response), "resourceVersion"));
    }
  }

  private void gone(Request key, String uid, String version) {
    lock.lock();
    try {
      Set<String> gone = new HashSet<>();
      String floor = version;
      OwnState before = states.get(key);
      if (before != null) {
        gone.addAll(before.gone());
        floor = Versions.later(before.version(), floor);
      }
      ObjectVersion cached = cache.apply(key);
      if (cached != null && cached.uid().equals(uid)) {
        floor = Versions.later(cached.resourceVersion(), floor);
      }
      if (!uid.isEmpty()) {
        gone.add(uid);
      }
      put(key, new OwnState("", floor, null, gone, progress.listsBegun(), seen(key)));
    } finally {
      lock.unlock();
    }
  }

  private boolean concerns(Request key) {
    return namespace.isEmpty() || namespace.equals(key.namespace());
  }

  /** Two threads may write one object, and the responses may arrive in another order. */
  private static boolean isLate(OwnState state, String uid, String version) {
    return state.gone().contains(uid)
        || (Versions.comparable(state.version(), version)
            && Versions.reaches(state.version(), version));
  }

  private String seen(Request key) {
    return version(cache.apply(key));
  }

  private void put(Request key, OwnState state) {
    states.remove(key);
    states.put(key, state);
    Iterator<Map.Entry<Request, OwnState>> eldest = states.entrySet().iterator();
    for (int i = 0; i < LOOK_AT && eldest.hasNext(); i++) {
      Map.Entry<Request, OwnState> one = eldest.next();
      if (isSettled(one.getKey(), one.getValue())) {
        eldest.remove();
      }
    }
    if (states.size() > limit) {
      states.entrySet().removeIf(e -> isCovered(e.getKey(), e.getValue()));
    }
    while (states.size() > limit) {
      states.remove(states.keySet().iterator().next());
      forgotten++;
      if (Long.bitCount(forgotten) == 1) {
        log.atWarn()
            .addKeyValue("cache", describe)
            .addKeyValue("count", forgotten)
            .log("informer lags behind, recent writes dropped");
      }
    }
  }

  /** Drops the writes of objects that are not kept any more: others may write them from now on. */
  void release(BiPredicate<Request, @Nullable Entry> released) {
    lock.lock();
    try {
      states.entrySet().removeIf(each -> released.test(each.getKey(), entry(each.getValue())));
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable Entry entry(OwnState state) {
    byte @Nullable [] json = state.json();
    return json == null ? null : new Entry(state.uid(), state.version(), 0, json);
  }

  // Reads

  /** Returns the keys whose state may differ from the cache. */
  Set<Request> keys() {
    lock.lock();
    try {
      return states.isEmpty() ? Set.of() : Set.copyOf(states.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Returns the state that overrides the cache; null when the cache is current. */
  @Nullable OwnState find(Request key) {
    lock.lock();
    try {
      OwnState state = states.get(key);
      if (state == null) {
        return null;
      }
      if (isSettled(key, state)) {
        states.remove(key);
        return null;
      }
      return isRight(key, state) ? state : null;
    } finally {
      lock.unlock();
    }
  }

  private boolean isSettled(Request key, OwnState state) {
    // An object that a selector hides for a while may be selected again before its deletion
    // arrives.
    boolean mayComeBack = selective && !state.gone().isEmpty();
    return mayComeBack ? progress.hasListedSince(state.listsBegun()) : isCovered(key, state);
  }

  /** Returns whether the cache now has the same state, or a newer one. */
  private boolean isCovered(Request key, OwnState state) {
    if (progress.hasListedSince(state.listsBegun())) {
      return true;
    }
    // In this order: the cache is updated before its progress.
    return Versions.reaches(progress.version(key.namespace()), state.version())
        && !showsGone(state, cache.apply(key));
  }

  /** Returns whether the cache is older than a state that is not settled. */
  private boolean isRight(Request key, OwnState state) {
    String position = progress.version(key.namespace());
    ObjectVersion cached = cache.apply(key);
    if (showsGone(state, cached)) {
      return true;
    }
    if (state.version().isEmpty() || Versions.reaches(position, state.version())) {
      return false;
    }
    if (cached != null
        && cached.uid().equals(state.uid())
        && Versions.reaches(cached.resourceVersion(), state.version())) {
      // A list is being applied: the object is there already, the progress follows at its end.
      return false;
    }
    if (position.isEmpty() || Versions.comparable(position, state.version())) {
      return true;
    }
    // The versions are not comparable: any change of the cache since is assumed to be newer.
    return state.gone().isEmpty() && version(cached).equals(state.cachedVersion());
  }

  private static boolean showsGone(OwnState state, @Nullable ObjectVersion cached) {
    return cached != null && state.gone().contains(cached.uid());
  }

  private static String version(@Nullable ObjectVersion cached) {
    return cached == null ? "" : cached.resourceVersion();
  }

  /** Returns how many writes were dropped before the cache had received them. */
  long forgotten() {
    lock.lock();
    try {
      return forgotten;
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return states.size();
    } finally {
      lock.unlock();
    }
  }
}
