// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The requests that an object maps to, computed from its name and its metadata alone. So the slots
 * of an object are the same on every replica, and an object of foreign slots needs not be kept.
 *
 * <p>Thread rule: any thread, several at once; must not block. Equal mappings share what they need
 * in a cache: use a constant or a record. When it throws, the object is kept.
 */
@FunctionalInterface
public interface ObjectKeys {

  /** The object itself. */
  ObjectKeys SELF =
      new ObjectKeys() {
        @Override
        public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
          requests.accept(object);
        }

        @Override
        public boolean staysInNamespace() {
          return true;
        }
      };

  /**
   * Passes the requests of an object to {@code requests}.
   *
   * @param object its namespace and name
   * @param metadata its metadata, as the server sends it; not to be changed
   */
  void of(Request object, JsonObject metadata, Consumer<Request> requests);

  /**
   * Returns whether each request of an object is in the namespace of the object. With slots by namespace the objects of
   * a slot are then read by listing its namespaces, instead of everything. False by default.
   */
  default boolean staysInNamespace() {
    return false;
  }

  /**
   * Returns the members of the metadata that this reads, such as {@code ownerReferences}: no other
   * has to be in what {@link #of} receives. Empty, the default, for all but managed fields.
   */
  default Set<String> members() {
    return Set.of();
  }
}
