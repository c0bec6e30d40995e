// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.print.Json;

/** An error response of the admin API (RFC 9457). */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final String TYPES = "https://coxswain.dev/problems/";

  private static final String NO_OWNER = "no-owner";

  private static final int UNAUTHORIZED = 401;

  private final int status;
  private final transient Json body;

  ProblemException(int status, Json body) {
    super(message(status, body));
    this.status = status;
    this.body = body;
  }

  public int status() {
    return status;
  }

  public Json body() {
    return body;
  }

  /**
   * Returns the last part of the problem type, such as {@code item-not-found}, or an empty text.
   */
  public String type() {
    String type = body.text("type");
    return type.startsWith(TYPES) ? type.substring(TYPES.length()) : "";
  }

  /** Returns the title of the problem. */
  String title() {
    return title(status, body);
  }

  private static String title(int status, Json body) {
    String title = body.text("title");
    return title.isEmpty() ? "HTTP " + status : title;
  }

  private static String message(int status, Json body) {
    StringBuilder text = new StringBuilder("Error from server (");
    text.append(title(status, body)).append(')');
    String detail = body.text("detail");
    if (detail.isEmpty() && status == UNAUTHORIZED) {
      detail = "invalid token; it may have expired, or have another audience";
    }
    if (!body.isPresent()) {
      detail = "not a response of an admin API: check the address, and any proxy in front of it";
    }
    if (!detail.isEmpty()) {
      text.append(": ").append(detail);
    }
    for (Json error : body.list("errors")) {
      String where = error.text("pointer") + error.text("parameter") + error.text("header");
      text.append("\n  ")
          .append(where)
          .append(where.isEmpty() ? "" : ": ")
          .append(error.text("detail"));
    }
    String requestId = body.text("requestId");
    // A controller without an owner is not an error of the host, and not logged.
    boolean logged = !body.text("type").equals(TYPES + NO_OWNER);
    if (status >= 500 && !requestId.isEmpty() && logged) {
      text.append("\n  see the log of the replica, requestId ").append(requestId);
    }
    return text.toString();
  }
}
