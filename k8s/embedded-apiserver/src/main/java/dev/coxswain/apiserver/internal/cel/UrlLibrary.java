// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.coxswain.apiserver.internal.cel.OpaqueTypes.URL;

import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** URLs: absolute ones, and paths from the root; any thread. */
final class UrlLibrary {
  /** A URL. */
  record Url(URI uri) {
    private static Url of(Object text) {
      try {
        URI uri = URI.create((String) text);
        if (uri.isAbsolute() || ((String) text).startsWith("/")) {
          return new Url(uri);
        }
        throw new IllegalArgumentException("invalid URI for request");
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "URL parse error during conversion from string: parse \""
                + text
                + "\": "
                + e.getMessage(),
            e);
      }
    }

    /** With the brackets of an IPv6 address and the port. */
    private String host() {
      String authority = text(uri.getRawAuthority());
      return authority.substring(authority.lastIndexOf('@') + 1);
    }

    private String name() {
      return host().replaceFirst(":\\d*$", "").replaceAll("^\\[|]$", "");
    }

    private String port() {
      return uri.getPort() < 0 ? "" : Integer.toString(uri.getPort());
    }

    private Map<String, List<String>> query() {
      Map<String, List<String>> values = new LinkedHashMap<>();
      for (String part : text(uri.getRawQuery()).split("&", -1)) {
        if (!part.isEmpty()) {
          String[] pair = part.split("=", 2);
          values
              .computeIfAbsent(decoded(pair[0]), k -> new ArrayList<>())
              .add(pair.length > 1 ? decoded(pair[1]) : "");
        }
      }
      return values;
    }

    private static String decoded(String text) {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String text(@org.jspecify.annotations.Nullable String text) {
      return text == null ? "" : text;
    }
  }

  private UrlLibrary() {}

  static void addTo(CelLibrary library) {
    library.function("url", URL, List.of(STRING), a -> Url.of(a[0]));
    library.function("isURL", BOOL, List.of(STRING), a -> valid(a[0]));
    library.method("getScheme", STRING, List.of(URL), a -> Url.text(uri(a).getScheme()));
    library.method("getHost", STRING, List.of(URL), a -> ((Url) a[0]).host());
    library.method("getHostname", STRING, List.of(URL), a -> ((Url) a[0]).name());
    library.method("getPort", STRING, List.of(URL), a -> ((Url) a[0]).port());
    library.method("getEscapedPath", STRING, List.of(URL), a -> Url.text(uri(a).getRawPath()));
    library.method(
        "getQuery",
        MapType.create(STRING, ListType.create(STRING)),
        List.of(URL),
        a -> ((Url) a[0]).query());
  }

  private static URI uri(Object[] arguments) {
    return ((Url) arguments[0]).uri;
  }

  private static boolean valid(Object text) {
    try {
      return Url.of(text).uri != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
