// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import java.util.HashMap;
import java.util.Map;

/** The query parameters of a cache's requests. */
public final class Query {

  private Query() {}

  /** Returns the parameters of a list. */
  public static Map<String, String> selectors(CacheKey<?> key) {
    Map<String, String> query = new HashMap<>();
    if (!key.labelSelector().isEmpty()) {
      query.put("labelSelector", key.labelSelector());
    }
    if (!key.fieldSelector().isEmpty()) {
      query.put("fieldSelector", key.fieldSelector());
    }
    return query;
  }

  /** Returns the parameters of a watch from a version. */
  public static Map<String, String> watch(CacheKey<?> key, String version, long seconds) {
    Map<String, String> query = stream(key, seconds);
    query.put("resourceVersion", version);
    return query;
  }

  /** Returns the parameters of a watch that begins with all present objects. */
  public static Map<String, String> streamedList(CacheKey<?> key, long seconds) {
    Map<String, String> query = stream(key, seconds);
    query.put("sendInitialEvents", "true");
    query.put("resourceVersionMatch", "NotOlderThan");
    return query;
  }

  private static Map<String, String> stream(CacheKey<?> key, long seconds) {
    Map<String, String> query = selectors(key);
    query.put("allowWatchBookmarks", "true");
    query.put("timeoutSeconds", Long.toString(seconds));
    return query;
  }
}
