// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A successful answer.
 *
 * @param body null for none
 * @param stream what writes the body itself, or null
 */
public record Reply(
    int status, @Nullable ObjectNode body, Map<String, String> headers, @Nullable Stream stream) {

  /**
   * A body that is not a JSON tree.
   *
   * @param contentType its media type
   * @param writer writes and ends the response; its future completes, with or without success, when
   *     nothing more will be written
   */
  public record Stream(String contentType, Function<HttpServerResponse, Future<Void>> writer) {}

  public Reply(int status, @Nullable ObjectNode body, Map<String, String> headers) {
    this(status, body, headers, null);
  }

  public static Reply ok(ObjectNode body) {
    return new Reply(200, body, Map.of());
  }

  public static Reply created(ObjectNode body, String location) {
    return new Reply(201, body, Map.of("Location", location));
  }

  /** The work has begun; where to look for its end. */
  public static Reply accepted(ObjectNode body, String location) {
    return new Reply(202, body, Map.of("Location", location, "Retry-After", "1"));
  }

  /** The client has it already. */
  static Reply notModified() {
    return new Reply(304, null, Map.of());
  }

  public static Reply noContent() {
    return new Reply(204, null, Map.of());
  }

  public static Reply stream(
      String contentType, Function<HttpServerResponse, Future<Void>> writer) {
    return new Reply(200, null, Map.of(), new Stream(contentType, writer));
  }

  public Reply withHeader(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new Reply(status, body, Map.copyOf(more), stream);
  }
}
