// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;

/** Injected failures in the words of the real server; any thread. */
final class Failures {
  private Failures() {}

  static ApiException of(Effect.Fail fail) {
    int after = Math.toIntExact(fail.retryAfter().toSeconds());
    return switch (fail.status()) {
      case 410 ->
          ApiException.expired(
              "The resourceVersion for the provided list is too old. (injected fault)");
      case 429 ->
          later(
              429,
              "TooManyRequests",
              "the server has received too many requests (injected fault)",
              after);
      case 503 ->
          later(
              503,
              "ServiceUnavailable",
              "the server is currently unable to handle the request (injected fault)",
              after);
      case 500 -> later(500, "InternalError", "Internal error occurred: injected fault", after);
      case 504 -> later(504, "Timeout", "Timeout: injected fault", after);
      default -> later(fail.status(), "Unknown", "injected fault", after);
    };
  }

  /** Returns the answer of a server whose caches are not filled yet. */
  static ApiException starting(RequestFacts request, boolean builtin) {
    return builtin
        ? ApiException.of(
            403,
            "Forbidden",
            "%s is forbidden: not yet able to %s resource \"%s\" in API group \"%s\": no roles read (injected fault)"
                .formatted(request.resource(), request.verb(), request.resource(), request.group()),
            Json.object())
        : later(429, "TooManyRequests", "storage is (re)initializing", 1);
  }

  private static ApiException later(int status, String reason, String message, int after) {
    return ApiException.retryLater(status, reason, message, after, null);
  }
}
