// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;
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
  ObjectKeys SELF = (object, metadata, requests) -> requests.accept(object);

  /**
   * Passes the requests of an object to {@code requests}.
   *
   * @param object its namespace and name
   * @param metadata its metadata, as the server sends it; not to be changed
   */
  void of(Request object, JsonObject metadata, Consumer<Request> requests);
}
