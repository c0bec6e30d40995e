// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Escaping of names in the path of a URL. */
public final class PathSegment {

  private PathSegment() {}

  public static String encode(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException("\"" + name + "\" cannot be the name of an object");
    }
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
