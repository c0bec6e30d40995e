// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an informer by the values of one {@link Index}.
 *
 * <p>Thread rule: changed under the informer's lock; read from any thread without it.
 *
 * <h2>Consistency of reads</h2>
 *
 * Every object that a reader finds under a value has that value. An object that has the value
 * before and after a change is never missed in between: it is entered under its new values before
 * it is removed from the old ones. A change is in the index before any listener receives it.
 *
 * <h2>An index that throws</h2>
 *
 * The object stays in the store, but not in this index. So does one that does not fit its class.
 * Until the index function succeeds for all objects, queries of this index fail instead of
 * returning too little.
 */
final class Indexer<T extends KubernetesObject> {

  private final Index<T> index;
  private final Informer<T> cache;
  private final Map<String, Map<Request, Entry>> byValue = new ConcurrentHashMap<>();
  private final Map<Request, Set<String>> valuesOf = new HashMap<>();

  /** The objects for which the index function last threw. */
  private final Set<Request> failed = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Throwable lastFailure;
  private int users;

  /** Set once all existing objects are entered; until then readers scan all objects. */
  private volatile boolean complete;

  Indexer(Index<T> index, Informer<T> cache) {
    this.index = index;
    this.cache = cache;
  }

  boolean isComplete() {
    return complete;
  }

  void completed() {
    complete = true;
  }

  /** Adds to the number of users and returns it. */
  int addUsers(int more) {
    users += more;
    return users;
  }

  /**
   * Returns the objects with a value.
   *
   * @throws Index.FailedException when the index function threw for some objects, so that the
   *     result might be incomplete
   */
  Map<Request, Entry> find(String value) {
    Iterator<Request> unknown = failed.iterator();
    if (unknown.hasNext()) {
      throw index.failed(unknown.next(), failed.size(), lastFailure);
    }
    Map<Request, Entry> found = byValue.get(value);
    return found == null ? Map.of() : found;
  }

  /**
   * Applies a change; {@code now} is null for an object that is gone. A change that was interrupted
   * by an exception is completed by applying it again.
   */
  void change(Request key, @Nullable Entry now) {
    Set<String> values = now == null ? gone(key) : values(key, now);
    if (now != null) {
      for (String value : values) {
        byValue.computeIfAbsent(value, v -> new ConcurrentHashMap<>()).put(key, now);
      }
    }
    Set<String> old = valuesOf.get(key);
    if (old != null) {
      for (String value : old) {
        if (!values.contains(value)) {
          byValue.computeIfPresent(
              value,
              (v, objects) -> {
                objects.remove(key);
                return objects.isEmpty() ? null : objects;
              });
        }
      }
    }
    if (values.isEmpty()) {
      valuesOf.remove(key);
    } else {
      valuesOf.put(key, values);
    }
  }

  private Set<String> gone(Request key) {
    failed.remove(key);
    return Set.of();
  }

  /** Returns the values of an object; none when it does not fit its class or the index throws. */
  private Set<String> values(Request key, Entry now) {
    try {
      Set<String> values = Set.copyOf(index.of(key, now, cache.key().type().type()));
      failed.remove(key);
      return values;
    } catch (Throwable e) {
      if (UserCode.isOfTheMachine(e)) {
        throw new IllegalStateException("index \"" + index.name() + "\": " + UserCode.text(e), e);
      }
      lastFailure = e;
      failed.add(key);
      cache.indexFailed();
      cache.userCode().failed("index threw, its queries fail: " + index.name(), key, e);
      return Set.of();
    }
  }
}
