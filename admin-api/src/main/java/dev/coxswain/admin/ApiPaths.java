// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Path roots and path patterns of the admin API. A name in braces is a variable segment. */
final class ApiPaths {

  /** The root of the routes for clients. */
  static final String ROOT = "/api/v1";

  /** The root of the routes for other replicas, each of which covers one replica only. */
  static final String PEER_ROOT = "/peer/v1";

  static final String CONTROLLER = "/controllers/{c}";
  static final String OPERATION = "/operations/{op}";
  static final String ITEM = CONTROLLER + "/items/{id}";
  static final String LIMITER = "/limiters/{l}";

  private ApiPaths() {}

  /** Returns whether a path belongs to the routes for other replicas. */
  static boolean isPeer(@Nullable String path) {
    return path != null && path.startsWith(PEER_ROOT + "/");
  }

  /** Returns the part of a path below either root; the path itself if it has neither root. */
  static String below(String path) {
    for (String root : List.of(ROOT, PEER_ROOT)) {
      if (path.startsWith(root + "/")) {
        return path.substring(root.length());
      }
    }
    return path;
  }
}
