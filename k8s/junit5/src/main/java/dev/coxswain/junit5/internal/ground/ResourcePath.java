// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * What the path of a request names.
 *
 * <p>Thread rule: immutable.
 *
 * @param collection the path of the collection
 * @param group the group; empty for the core
 * @param namespace the namespace; empty for a resource without one
 * @param resource the plural of the resource
 * @param name the name of the object; empty for the collection
 */
record ResourcePath(
    String collection, String group, String namespace, String resource, String name) {

  private static final Pattern PATH =
      Pattern.compile(
          "((?:/api|/apis/(?<group>[^/]+))/[^/]+(?:/namespaces/(?<namespace>[^/]+)(?=/[^/]))?"
              + "/(?<resource>[^/]+))(?:/(?<name>[^/]+))?(?:/.*)?");

  /** Namespaces have subresources themselves. */
  private static final Pattern NAMESPACE =
      Pattern.compile("(/api/v1/namespaces)/([^/]+)(?:/(?:status|finalize))?");

  /** Returns the path at the end of the address of a server; empty for most. */
  static String base(String address) {
    String path = HttpUrl.get(address).encodedPath();
    return path.equals("/") ? "" : path.replaceAll("/$", "");
  }

  /** Returns what a path names; empty for one that is none of a resource. */
  static Optional<ResourcePath> of(String path) {
    Matcher namespace = NAMESPACE.matcher(path);
    if (namespace.matches()) {
      return Optional.of(
          new ResourcePath(namespace.group(1), "", "", "namespaces", namespace.group(2)));
    }
    Matcher all = PATH.matcher(path);
    return all.matches()
        ? Optional.of(
            new ResourcePath(
                all.group(1),
                orEmpty(all.group("group")),
                orEmpty(all.group("namespace")),
                all.group("resource"),
                orEmpty(all.group("name"))))
        : Optional.empty();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /** Returns the object for messages, such as {@code configmaps shop/cart}. */
  String text(String named) {
    return resource + " " + (namespace.isEmpty() ? "" : namespace + "/") + named;
  }
}
