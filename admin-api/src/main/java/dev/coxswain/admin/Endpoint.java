// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;

/**
 * One route.
 *
 * @param path the address, with {@code {name}} for a variable segment
 * @param produces the media types it answers with, the preferred one first
 */
record Endpoint(HttpMethod method, String path, Kind kind, List<String> produces, Handler handler) {

  private static final List<String> JSON = List.of("application/json");

  enum Kind {
    /** Changes nothing and takes no body. */
    READ,
    /** Changes something, and says why in a JSON body. */
    CHANGE,
    /** The same, and honours If-Match. */
    CONDITIONAL_CHANGE
  }

  /** Answers a request; throws or fails with a {@link Rejection} for an expected error. */
  @FunctionalInterface
  interface Handler {
    Future<Reply> handle(Exchange exchange);
  }

  static Endpoint read(String path, Handler handler) {
    return new Endpoint(HttpMethod.GET, path, Kind.READ, JSON, handler);
  }

  static Endpoint change(HttpMethod method, String path, Handler handler) {
    return new Endpoint(method, path, Kind.CHANGE, JSON, handler);
  }

  static Endpoint conditional(HttpMethod method, String path, Handler handler) {
    return new Endpoint(method, path, Kind.CONDITIONAL_CHANGE, JSON, handler);
  }

  /** Returns this route with other media types. */
  Endpoint producing(String... types) {
    return new Endpoint(method, path, kind, List.of(types), handler);
  }

  boolean mutating() {
    return kind != Kind.READ;
  }
}
