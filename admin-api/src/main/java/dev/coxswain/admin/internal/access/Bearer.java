// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the bearer token of a request (RFC 6750); its refusals contain the expected header. */
final class Bearer {

  private static final String REALM = "Bearer realm=\"coxswain\"";
  private static final Pattern CREDENTIALS =
      Pattern.compile("(?i:bearer) +([A-Za-z0-9._~+/-]+=*) *");

  private Bearer() {}

  static String token(HttpServerRequest request, String hint) {
    List<String> headers = request.headers().getAll("Authorization");
    if (headers.isEmpty()) {
      throw unauthenticated(
          "no credentials were sent; send the header Authorization: Bearer" + " TOKEN",
          hint,
          REALM);
    }
    Matcher credentials = CREDENTIALS.matcher(headers.getFirst());
    if (headers.size() > 1 || !credentials.matches()) {
      throw unauthenticated(
          "the header Authorization must be sent once, as Bearer and a token",
          hint,
          REALM + ", error=\"invalid_request\"");
    }
    return credentials.group(1);
  }

  static Rejection refused(String hint) {
    return unauthenticated(
        "the token is unknown, expired or not for this API",
        hint,
        REALM + ", error=\"invalid_token\"");
  }

  private static Rejection unauthenticated(String why, String hint, String challenge) {
    return Problem.of(
            401, "unauthenticated", "Unauthenticated", hint.isEmpty() ? why : why + "; " + hint)
        .with("WWW-Authenticate", challenge)
        .rejection();
  }
}
