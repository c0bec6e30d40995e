// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.value.RevisedValue;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A successful response.
 *
 * @param body a value, which is a record, or a tree; null for none
 * @param stream the writer of the body, or null
 */
public record Response(
    int status, @Nullable Object body, Map<String, String> headers, @Nullable Stream stream) {

  /**
   * A body that is not one JSON value.
   *
   * @param contentType its media type
   * @param writer writes and ends the response; its future completes, with or without success, when
   *     nothing more will be written
   */
  public record Stream(String contentType, Function<HttpServerResponse, Future<Void>> writer) {}

  public Response(int status, @Nullable Object body, Map<String, String> headers) {
    this(status, body, headers, null);
  }

  /** Returns a response with this body, and with an {@code ETag} if the body has a revision. */
  public static Response ok(Object body) {
    String rev = body instanceof RevisedValue revised ? revised.rev() : null;
    return new Response(200, body, rev == null ? Map.of() : Map.of("ETag", "\"" + rev + "\""));
  }

  public static Response created(Object body, String location) {
    return new Response(201, body, Map.of("Location", location));
  }

  /** Returns the response for work in progress, with the address of its state. */
  public static Response accepted(Object body, String location) {
    return new Response(202, body, Map.of("Location", location, "Retry-After", "1"));
  }

  /** Returns the response for a client that has this revision already. */
  static Response notModified() {
    return new Response(304, null, Map.of());
  }

  public static Response noContent() {
    return new Response(204, null, Map.of());
  }

  public static Response stream(
      String contentType, Function<HttpServerResponse, Future<Void>> writer) {
    return new Response(200, null, Map.of(), new Stream(contentType, writer));
  }

  public Response withBody(Object value) {
    return new Response(status, value, headers, stream);
  }

  public Response withHeader(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new Response(status, body, Map.copyOf(more), stream);
  }
}
