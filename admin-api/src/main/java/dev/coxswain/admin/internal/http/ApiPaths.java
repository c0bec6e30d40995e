// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Path roots and path patterns of the admin API. A name in braces is a variable segment. */
public final class ApiPaths {

  /** The root of the routes for clients. */
  public static final String ROOT = "/api/v1";

  /** The root of the routes for other replicas, each of which covers one replica only. */
  public static final String PEER_ROOT = "/peer/v1";

  public static final String CONTROLLER = "/controllers/{c}";
  public static final String OPERATION = "/operations/{op}";
  public static final String ITEM = CONTROLLER + "/items/{id}";
  public static final String CAUSE = CONTROLLER + "/causes/{x}";
  public static final String CHANGE = "/changes/{q}";
  public static final String LIMITER = "/limiters/{l}";
  public static final String PLUGIN = "/plugins/{p}";
  public static final String DRAIN = "/replicas/{r}/drain";

  private ApiPaths() {}

  /** Returns whether a path belongs to the routes for other replicas. */
  public static boolean isPeer(@Nullable String path) {
    return path != null && path.startsWith(PEER_ROOT + "/");
  }

  /** Returns the part of a path below either root; the path itself if it has neither root. */
  public static String below(String path) {
    for (String root : List.of(ROOT, PEER_ROOT)) {
      if (path.startsWith(root + "/")) {
        return path.substring(root.length());
      }
    }
    return path;
  }
}
