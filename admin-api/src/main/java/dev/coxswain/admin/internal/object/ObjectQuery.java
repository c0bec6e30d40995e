// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.view.ItemId;
import java.util.List;

/**
 * The object of a request.
 *
 * @param controllers the requested controllers, each once; empty for all
 */
record ObjectQuery(ItemId id, List<String> controllers) {

  /** As long as the name of an added request may be. */
  private static final int MAX_NAME = 512;

  /** Each may cost a review of the caller's right. */
  private static final int MAX_CONTROLLERS = 100;

  private static final String NAME = "name";
  private static final String NAMESPACE = "namespace";
  private static final String CONTROLLER = "controller";

  /** Reads the query; throws a {@link Rejection} for an invalid one. */
  static ObjectQuery of(Query query) {
    String namespace = query.text(NAMESPACE, ItemFilters.MAX_NAME);
    String name = query.text(NAME, MAX_NAME);
    List<String> controllers = query.many(CONTROLLER).stream().distinct().toList();
    if (name == null || name.isEmpty()) {
      query.fault(NAME, "is required: the name of the object, without its namespace");
    }
    if (namespace != null && namespace.indexOf('/') >= 0) {
      query.fault(NAMESPACE, "must not contain a slash");
    }
    if (controllers.size() > MAX_CONTROLLERS) {
      query.fault(CONTROLLER, "must be at most " + MAX_CONTROLLERS + " names of controllers");
    }
    for (String controller : controllers) {
      if (controller.isEmpty() || controller.length() > ItemFilters.MAX_NAME) {
        query.fault(
            CONTROLLER,
            "must be names of controllers, found \"" + Json.line(controller, 64) + "\"");
      }
    }
    query.done();
    return new ObjectQuery(
        new ItemId(namespace == null ? "" : namespace, name == null ? "" : name), controllers);
  }
}
