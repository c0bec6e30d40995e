// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/**
 * One route.
 *
 * @param path the address, with {@code {name}} for a variable segment
 */
record Endpoint(HttpMethod method, String path, Kind kind, Handler handler) {

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
    return new Endpoint(HttpMethod.GET, path, Kind.READ, handler);
  }

  static Endpoint change(HttpMethod method, String path, Handler handler) {
    return new Endpoint(method, path, Kind.CHANGE, handler);
  }

  static Endpoint conditional(HttpMethod method, String path, Handler handler) {
    return new Endpoint(method, path, Kind.CONDITIONAL_CHANGE, handler);
  }

  boolean mutating() {
    return kind != Kind.READ;
  }
}
