// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;

/**
 * A change of objects before a cache stores them, to save memory by dropping unused fields. Managed
 * fields are always dropped and need no transform.
 *
 * <p>Users share a cache only when their transforms are equal: use a constant, or {@link #without},
 * not a new lambda each time. A cached object that a transform has changed must not be written back
 * as a whole; patch it.
 *
 * <p>Thread rule: any thread, several at once: a cache's virtual thread, and threads that write
 * objects of a source with {@code readYourWrites}. An exception is reported and counted by the
 * cache, and the object is skipped: its last readable state stays in the cache.
 */
@FunctionalInterface
public interface ObjectTransform {

  /** No change. */
  ObjectTransform NONE = object -> object;

  /**
   * Returns the object to store.
   *
   * @param object the whole object, which may be changed; its metadata must stay an object
   */
  JsonObject apply(JsonObject object);

  /**
   * Returns a transform that drops the member at a path. Two of the same path are equal.
   *
   * @param path member names from the top, such as {@code "metadata", "annotations",
   *     "kubectl.kubernetes.io/last-applied-configuration"}
   */
  static ObjectTransform without(String... path) {
    return new Without(List.of(path));
  }

  /** Drops the member at a path. */
  record Without(List<String> path) implements ObjectTransform {

    public Without {
      path = List.copyOf(path);
      if (path.isEmpty()) {
        throw new IllegalArgumentException("the path of the dropped member must not be empty");
      }
    }

    @Override
    public JsonObject apply(JsonObject object) {
      JsonElement here = object;
      for (String name : path.subList(0, path.size() - 1)) {
        here = here instanceof JsonObject parent ? parent.get(name) : null;
      }
      if (here instanceof JsonObject parent) {
        parent.remove(path.getLast());
      }
      return object;
    }
  }
}
