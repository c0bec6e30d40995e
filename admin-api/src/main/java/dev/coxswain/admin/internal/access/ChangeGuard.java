// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Problem.Fault;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.options.ChangePolicy;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Set;

/** Checks the headers of a change before its body is read. */
public final class ChangeGuard {

  /** The values of Sec-Fetch-Site that a page of another site cannot send. */
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

  private ChangeGuard() {}

  public static void check(HttpServerRequest request, Endpoint endpoint, boolean requireIfMatch) {
    checkSite(request);
    checkContentType(request);
    boolean conditional = endpoint.kind() == Endpoint.Kind.CONDITIONAL_CHANGE;
    boolean named = request.getHeader("If-Match") != null;
    if (conditional && requireIfMatch && !named) {
      throw Problem.of(
              428,
              "if-match-required",
              "If-Match required",
              "this replica is configured to require If-Match: read the object and send its ETag"
                  + " as If-Match")
          .rejection();
    }
    if (!conditional && named) {
      throw Problem.invalid(
              "invalid-header",
              "this path has no revision, so If-Match has no meaning here; leave it out",
              new Fault("header", "If-Match", "is not supported here"))
          .rejection();
    }
  }

  /**
   * Refuses requests that a browser sends for another site. Current browsers send at least one of
   * the two headers; the required JSON content type excludes forms of older ones.
   */
  private static void checkSite(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null) {
      if (!OWN_SITE.contains(site.toLowerCase(Locale.ROOT))) {
        throw crossSite("Sec-Fetch-Site is " + Json.line(site, 32));
      }
      return;
    }
    String origin = request.getHeader("Origin");
    if (origin != null
        && !origin.equalsIgnoreCase(request.scheme() + "://" + request.authority())) {
      throw crossSite("Origin is " + Json.line(origin, 128));
    }
  }

  private static Rejection crossSite(String found) {
    return Problem.of(
            403,
            "cross-site-request",
            "Cross-site request",
            "a browser sent this request for another site ("
                + found
                + "); changes must come from the site of this API")
        .rejection();
  }

  private static void checkContentType(HttpServerRequest request) {
    String header = request.getHeader("Content-Type");
    String[] parts = (header == null ? "" : header).toLowerCase(Locale.ROOT).split(";", -1);
    String type = parts[0].trim();
    boolean json =
        type.equals("application/json")
            || (type.equals("application/merge-patch+json")
                && request.method().equals(HttpMethod.PATCH));
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].replace("\"", "").trim();
      json &= !parameter.startsWith("charset=") || parameter.equals("charset=utf-8");
    }
    String encoding = request.getHeader("Content-Encoding");
    if (!json || (encoding != null && !encoding.equalsIgnoreCase("identity"))) {
      throw Problem.of(
              415,
              "unsupported-media-type",
              "Unsupported media type",
              "a change needs Content-Type: application/json in UTF-8 without Content-Encoding,"
                  + " found "
                  + (header == null ? "no content type" : "\"" + Json.line(header, 80) + "\"")
                  + (encoding == null ? "" : ", encoded as " + Json.line(encoding, 32)))
          .with("Accept", "application/json")
          .rejection();
    }
  }

  /** Throws a {@link Rejection} if items of a controller must not be dropped or flushed. */
  public static void checkDestructive(ChangePolicy policy, String controller) {
    if (policy.protectedControllers().contains(controller)) {
      throw Problem.of(
              403,
              "controller-protected",
              "Controller protected",
              "the configuration has \"protected: true\" for controller \""
                  + controller
                  + "\", so its items can be neither dropped nor flushed")
          .rejection();
    }
  }
}
