// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of a cache by the values of one {@link Index}.
 *
 * <p>Thread rule: changed under the cache's lock; read from any thread without it.
 *
 * <h2>What a reader sees</h2>
 *
 * Every object that it finds under a value has that value. An object that has the value before and
 * after a change is never missed in between: it is entered under its new values before it is taken
 * out of the old ones. A change is in the table before any listener hears of it.
 */
final class IndexTable<T extends KubernetesObject> {

  private static final Logger log = LoggerFactory.getLogger(IndexTable.class);

  private final Index<T> index;
  private final Class<T> type;
  private final Map<String, Map<Request, Entry>> byValue = new ConcurrentHashMap<>();
  private final Map<Request, Set<String>> valuesOf = new HashMap<>();
  private long failures;
  private int users;

  /** Set once everything that was there is entered; until then readers look at all objects. */
  private volatile boolean complete;

  IndexTable(Index<T> index, Class<T> type) {
    this.index = index;
    this.type = type;
  }

  boolean isComplete() {
    return complete;
  }

  void completed() {
    complete = true;
  }

  /** Counts a user in or out and returns how many there are. */
  int addUsers(int more) {
    users += more;
    return users;
  }

  /** Returns what is found under a value. */
  Collection<Entry> find(String value) {
    Map<Request, Entry> found = byValue.get(value);
    return found == null ? Set.of() : found.values();
  }

  /** Notes a change; {@code now} is null for an object that is gone. */
  void change(Request key, @Nullable Entry now) {
    Set<String> values = now == null ? Set.of() : values(now.decode(type));
    if (now != null) {
      for (String value : values) {
        byValue.computeIfAbsent(value, v -> new ConcurrentHashMap<>()).put(key, now);
      }
    }
    Set<String> old = values.isEmpty() ? valuesOf.remove(key) : valuesOf.put(key, values);
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
  }

  /** Returns the values of an object; none when user code throws. */
  private Set<String> values(T object) {
    try {
      return Set.copyOf(index.values().apply(object));
    } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
      // The 1st, 2nd, 4th, 8th ... time: a fault in every object must not fill the log.
      if (Long.bitCount(++failures) == 1) {
        log.atWarn()
            .addKeyValue("index", index.name())
            .addKeyValue("count", failures)
            .setCause(e)
            .log("index threw, the object is not found by it");
      }
      return Set.of();
    }
  }
}
