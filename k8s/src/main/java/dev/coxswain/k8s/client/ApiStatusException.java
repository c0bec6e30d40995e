// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.reconcile.RetryAfter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failed request to the API server: it was refused, or there was no response.
 *
 * <p>A reconciler may let it escape. The attempt then counts as failed, and when the server has
 * sent {@code Retry-After} (429, 503) the next attempt starts no earlier than that.
 *
 * <p>Thread rule: immutable.
 */
public final class ApiStatusException extends RuntimeException implements RetryAfter {
  private static final long serialVersionUID = 1;

  /** The {@link #code} of a request without a response. */
  public static final int NO_ANSWER = 0;

  private final int code;
  private final String reason;
  private final @Nullable Duration retryAfter;
  private final boolean versionTooLarge;
  private final boolean fieldConflict;

  /**
   * Creates a failure.
   *
   * @param code the HTTP status, or {@link #NO_ANSWER}
   * @param reason the machine-readable reason of the server's Status, or empty
   * @param message the request and the response
   * @param retryAfter the value of {@code Retry-After}, or null
   * @param cause the cause, or null
   */
  public ApiStatusException(
      int code,
      String reason,
      String message,
      @Nullable Duration retryAfter,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.versionTooLarge = false;
    this.fieldConflict = false;
  }

  private ApiStatusException(
      int code, JsonObject status, String message, @Nullable Duration retryAfter) {
    super(message);
    this.code = code;
    this.reason = Json.text(status, "reason");
    this.retryAfter = retryAfter;
    // Servers before 1.18 send no cause.
    this.versionTooLarge =
        code == 504
            && (hasCause(status, "ResourceVersionTooLarge")
                || Json.text(status, "message").contains("Too large resource version"));
    this.fieldConflict = code == 409 && hasCause(status, "FieldManagerConflict");
  }

  /**
   * Creates the failure of a Status.
   *
   * @param code the HTTP status
   * @param status the Status in the response; empty without one
   * @param request the request, which begins the message
   * @param advice a hint, which ends the message
   * @param retryAfter the value of {@code Retry-After}; null for that of the Status
   */
  static ApiStatusException of(
      int code, JsonObject status, String request, String advice, @Nullable Duration retryAfter) {
    String reason = Json.text(status, "reason");
    String message = Json.text(status, "message");
    return new ApiStatusException(
        code,
        status,
        request
            + " "
            + code
            + (reason.isEmpty() ? "" : " " + reason)
            + (message.isEmpty() ? "" : ": " + message)
            + advice,
        retryAfter == null ? retryAfterOf(status) : retryAfter);
  }

  /**
   * Creates the failure of the ERROR event of a watch.
   *
   * @param status the object of the event
   */
  public static ApiStatusException ofWatchError(JsonObject status) {
    JsonElement code = status.get("code");
    return of(
        code != null && code.isJsonPrimitive() && code.getAsJsonPrimitive().isNumber()
            ? code.getAsInt()
            : 500,
        status,
        "the server ended the watch with",
        "",
        null);
  }

  private static @Nullable Duration retryAfterOf(JsonObject status) {
    return status.get("details") instanceof JsonObject details
            && details.get("retryAfterSeconds") != null
            && details.get("retryAfterSeconds").isJsonPrimitive()
            && details.getAsJsonPrimitive("retryAfterSeconds").isNumber()
            && details.get("retryAfterSeconds").getAsLong() > 0
        ? Duration.ofSeconds(details.get("retryAfterSeconds").getAsLong())
        : null;
  }

  private static boolean hasCause(JsonObject status, String reason) {
    if (status.get("details") instanceof JsonObject details
        && details.get("causes") instanceof JsonArray causes) {
      for (JsonElement cause : causes) {
        if (Json.text(cause, "reason").equals(reason)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the HTTP status, or {@link #NO_ANSWER}. */
  public int code() {
    return code;
  }

  /** Returns the server's reason such as {@code AlreadyExists}, or empty. */
  public String reason() {
    return reason;
  }

  /** Returns the delay that the server requested; zero without one. */
  @Override
  public Duration delay() {
    return retryAfter == null ? Duration.ZERO : retryAfter;
  }

  /** Returns whether there is no such object, or no such API. */
  public boolean isNotFound() {
    return code == 404;
  }

  /**
   * Returns whether the server does not serve this API at all, such as before its
   * CustomResourceDefinition is installed: a 404 without a Status.
   */
  public boolean isApiMissing() {
    return code == 404 && reason.isEmpty();
  }

  /** Returns whether the object has been changed, or exists already. */
  public boolean isConflict() {
    return code == 409;
  }

  /**
   * Returns whether a server-side apply without force was refused since other field managers own
   * fields of it; the message names them.
   */
  public boolean isFieldConflict() {
    return fieldConflict;
  }

  /** Returns whether an object of that name exists already. */
  public boolean isAlreadyExists() {
    return code == 409 && reason.equals("AlreadyExists");
  }

  /** Returns whether the resource version is too old to continue from. */
  public boolean isExpired() {
    return code == 410;
  }

  /** Returns whether the resource version is newer than the server's, as after a restore. */
  public boolean isVersionTooLarge() {
    return versionTooLarge;
  }

  /** Returns whether the server could not be reached or did not answer in time. */
  public boolean isNoAnswer() {
    return code == NO_ANSWER;
  }
}
