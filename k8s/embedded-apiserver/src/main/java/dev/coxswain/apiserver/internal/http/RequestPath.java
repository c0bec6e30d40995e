// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path below {@code /api/VERSION} or {@code /apis/GROUP/VERSION}; immutable.
 *
 * @param group API group, empty for core
 * @param version API version
 * @param namespace namespace, empty = none in the path
 * @param resource plural resource, empty = the group version itself
 * @param name object name, empty = the collection
 * @param subresource subresource, empty = none; may contain slashes
 */
record RequestPath(
    String group,
    String version,
    String namespace,
    String resource,
    String name,
    String subresource) {

  /** Splits a path into decoded segments; null when it cannot be decoded. */
  static @Nullable List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    try {
      for (String segment : path.split("/", -1)) {
        if (!segment.isEmpty()) {
          segments.add(
              segment.indexOf('%') < 0
                  ? segment
                  : URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
        }
      }
    } catch (IllegalArgumentException e) {
      return null;
    }
    return segments;
  }

  /** Parses segments that start with {@code api} or {@code apis}; null when they are too few. */
  static @Nullable RequestPath parse(List<String> segments) {
    boolean core = segments.getFirst().equals("api");
    int at = core ? 2 : 3;
    if (segments.size() < at) {
      return null;
    }
    String group = core ? "" : segments.get(1);
    String version = segments.get(at - 1);
    List<String> rest = segments.subList(at, segments.size());
    String namespace = "";
    // namespaces/x is the object itself, and so are its subresources; with a resource behind, it is
    // a scope
    if (rest.size() >= 3
        && rest.getFirst().equals("namespaces")
        && !(core
            && rest.size() == 3
            && (rest.get(2).equals("status") || rest.get(2).equals("finalize")))) {
      namespace = rest.get(1);
      rest = rest.subList(2, rest.size());
    }
    return new RequestPath(
        group,
        version,
        namespace,
        rest.isEmpty() ? "" : rest.getFirst(),
        rest.size() < 2 ? "" : rest.get(1),
        rest.size() < 3 ? "" : String.join("/", rest.subList(2, rest.size())));
  }
}
