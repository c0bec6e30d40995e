// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.resource.LabelSelector;
import dev.coxswain.reconcile.Request;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's own writes that one cache may not have heard of yet.
 *
 * <p>Thread rule: any thread.
 *
 * <h2>When a write is settled</h2>
 *
 * and the cache alone speaks again: when the cache has followed the server to the version that was
 * written, or has taken in a list that began after the server's answer. The second also holds after
 * a server has been restored from a backup, when versions begin again from lower ones.
 *
 * <h2>Deletions</h2>
 *
 * A server does not say at which version it deleted something. A deleted incarnation never comes
 * back, though, so hiding it is right for as long as the cache shows it. It is not known either
 * whether another incarnation is an older or a newer one: it is shown, unless the cache has not
 * even come to where the deleted one was last seen.
 *
 * <h2>Bound</h2>
 *
 * Settled states are dropped as others are added; beyond the limit the oldest go unsettled, which
 * is counted and logged.
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
   * Creates an overlay without writes.
   *
   * @param describe which cache, for logs
   * @param progress how far the cache has come
   * @param cache the version of an object in the cache, or null
   * @param keep what the cache keeps of an object; throws {@link JsonParseException} for what it
   *     skips
   * @param namespace the namespace of the cache, empty for all
   * @param labelSelector the label selector of the cache, empty for all
   * @param limit how many writes to hold
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

  // Writing

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
    } catch (JsonParseException e) {
      // The cache will skip it as well, and reports it then.
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

  void deleted(Request key, JsonObject answer) {
    if (!WriteResponse.isDeleted(answer)) {
      // Something holds it: this is its newest state.
      written(key, answer);
    } else if (concerns(key)) {
      gone(
          key,
          WriteResponse.deletedUid(answer),
          WriteResponse.text(WriteResponse.metadata(answer), "resourceVersion"));
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

  /** Two threads may write one object, and the answers may come in another order. */
  private static boolean isLate(OwnState known, String uid, String version) {
    return known.gone().contains(uid)
        || (Versions.comparable(known.version(), version)
            && Versions.reaches(known.version(), version));
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

  // Reading

  /** Returns the keys that may be other than the cache says. */
  Set<Request> keys() {
    lock.lock();
    try {
      return states.isEmpty() ? Set.of() : Set.copyOf(states.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Returns what to say instead of the cache; null when the cache is right. */
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
    // What a selector hides for a while may come into view again before its deletion is told.
    boolean mayComeBack = selective && !state.gone().isEmpty();
    return mayComeBack ? progress.hasListedSince(state.listsBegun()) : isCovered(key, state);
  }

  /** Returns whether the cache now says the same, or something newer. */
  private boolean isCovered(Request key, OwnState state) {
    if (progress.hasListedSince(state.listsBegun())) {
      return true;
    }
    // In this order: what the position promises is in the cache by then.
    return Versions.reaches(progress.version(), state.version())
        && !showsGone(state, cache.apply(key));
  }

  /** Returns whether the cache knows less than a state that is not settled. */
  private boolean isRight(Request key, OwnState state) {
    String position = progress.version();
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
      // A list is just being taken in: the object is there already, the position comes at its end.
      return false;
    }
    if (position.isEmpty() || Versions.comparable(position, state.version())) {
      return true;
    }
    // Nothing can be compared: whatever the cache shows since is taken for newer.
    return state.gone().isEmpty() && version(cached).equals(state.cachedVersion());
  }

  private static boolean showsGone(OwnState state, @Nullable ObjectVersion cached) {
    return cached != null && state.gone().contains(cached.uid());
  }

  private static String version(@Nullable ObjectVersion cached) {
    return cached == null ? "" : cached.resourceVersion();
  }

  /** Returns how many writes were forgotten before the cache had heard of them. */
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
