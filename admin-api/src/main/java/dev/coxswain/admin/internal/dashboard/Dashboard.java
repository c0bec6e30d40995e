// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.dashboard;

import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.http.Revisions;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The files of the dashboard. They contain no data, so they need no token; the pages read all data
 * from the API. Only a fixed list of files is served, from memory. Immutable; any thread.
 */
public final class Dashboard {

  static final String ROOT = "/dashboard";

  static final List<String> FILES =
      List.of(
          "index.html",
          "icon.svg",
          "base.css",
          "chart.css",
          "layout.css",
          "parts.css",
          "print.css",
          "slots.css",
          "table.css",
          "timeline.css",
          "theme.js",
          "api.js",
          "attempts.js",
          "axis.js",
          "audit.js",
          "timecharts.js",
          "timeline.js",
          "bulk.js",
          "caches.js",
          "causes.js",
          "changes.js",
          "chart.js",
          "commands.js",
          "configuration.js",
          "controller.js",
          "dialog.js",
          "dom.js",
          "drawer.js",
          "events.js",
          "filters.js",
          "format.js",
          "happenings.js",
          "health.js",
          "history.js",
          "itemlist.js",
          "itemrow.js",
          "items.js",
          "limiters.js",
          "keys.js",
          "links.js",
          "live.js",
          "login.js",
          "main.js",
          "replicas.js",
          "messages.js",
          "objects.js",
          "operations.js",
          "override.js",
          "overview.js",
          "page.js",
          "parts.js",
          "phases.js",
          "plugins.js",
          "problems.js",
          "progress.js",
          "rights.js",
          "router.js",
          "selected.js",
          "selection.js",
          "session.js",
          "settings.js",
          "shell.js",
          "slots.js",
          "sparks.js",
          "statistics.js",
          "undo.js",
          "views.js");

  /** No content of other origins, no inline content, and no markup from text. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private final Map<String, Asset> assets;

  private record Asset(Buffer content, String type, String etag) {}

  private Dashboard(Map<String, Asset> assets) {
    this.assets = assets;
  }

  /** Reads all files. Blocks. */
  public static Dashboard load() {
    Map<String, Asset> assets = new HashMap<>();
    for (String file : FILES) {
      byte[] content = resource(file);
      String type = TYPES.get(file.substring(file.lastIndexOf('.') + 1));
      if (type == null) {
        throw new IllegalStateException("dashboard/" + file + " has an unknown type");
      }
      Asset asset = new Asset(Buffer.buffer(content), type, etag(content));
      assets.put(ROOT + "/" + (file.equals("index.html") ? "" : file), asset);
    }
    return new Dashboard(Map.copyOf(assets));
  }

  /** A checksum, since a digest of all files takes 20 ms of each start. */
  private static String etag(byte[] content) {
    CRC32 sum = new CRC32();
    sum.update(content);
    return "\""
        + Long.toHexString(sum.getValue())
        + "-"
        + Integer.toHexString(content.length)
        + "\"";
  }

  private static byte[] resource(String file) {
    try (InputStream content = Dashboard.class.getResourceAsStream(file)) {
      if (content == null) {
        throw new IllegalStateException("dashboard/" + file + " is missing in the jar");
      }
      return content.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("dashboard/" + file + " in the jar cannot be read", e);
    }
  }

  /** Returns whether a path is a file of the dashboard, or redirects to it. */
  public boolean serves(@Nullable String path) {
    return path != null && (path.equals("/") || path.equals(ROOT) || assets.containsKey(path));
  }

  /** Responds to a request for which {@link #serves} is true. */
  public Response answer(HttpServerRequest request) {
    HttpMethod method = request.method();
    if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
      throw Problem.of(
              405,
              "method-not-allowed",
              "Method not allowed",
              "this path has the methods GET and HEAD, found " + Json.line(method.name(), 16))
          .with("Allow", "GET, HEAD")
          .rejection();
    }
    if (RequestContext.hasBody(request)) {
      throw Problem.invalid("unexpected-body", "a read takes no body; send none").rejection();
    }
    Asset asset = assets.get(String.valueOf(request.path()));
    if (asset == null) {
      // Relative, so that it is valid below a path prefix, too.
      return new Response(302, null, Map.of("Location", "dashboard/"));
    }
    Map<String, String> headers =
        Map.of(
            "ETag",
            asset.etag(),
            "Cache-Control",
            "no-cache", // cached and revalidated: files of two versions must not be mixed
            "Content-Security-Policy",
            POLICY,
            "Cross-Origin-Opener-Policy",
            "same-origin");
    if (Revisions.matchesAny(request.headers().getAll("If-None-Match"), asset.etag())) {
      return new Response(304, null, headers);
    }
    return new Response(
        200,
        null,
        headers,
        new Response.Stream(asset.type(), response -> response.end(asset.content())));
  }
}
