// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An answer other than success, as a {@code Status} object; immutable, any thread. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final @Nullable String reason;
  private final transient @Nullable ObjectNode details;
  private final int retryAfter;
  private final String continueToken;

  private ApiException(
      int code,
      @Nullable String reason,
      String message,
      @Nullable ObjectNode details,
      int retryAfter) {
    this(code, reason, message, details, retryAfter, "");
  }

  private ApiException(
      int code,
      @Nullable String reason,
      String message,
      @Nullable ObjectNode details,
      int retryAfter,
      String continueToken) {
    super(message, null, false, false);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.retryAfter = retryAfter;
    this.continueToken = continueToken;
  }

  /** Any failure; {@code details} null leaves the field out, empty keeps it as {@code {}}. */
  public static ApiException of(
      int code, @Nullable String reason, String message, @Nullable ObjectNode details) {
    return new ApiException(code, reason, message, details, 0);
  }

  /** Returns a failure with {@code Retry-After}. */
  public static ApiException retryLater(
      int code, String reason, String message, int seconds, @Nullable Cause cause) {
    ObjectNode details = Json.object();
    if (cause != null) {
      details.putArray("causes").add(node(cause));
    }
    if (seconds > 0) {
      details.put("retryAfterSeconds", seconds);
    }
    return new ApiException(code, reason, message, details, seconds);
  }

  public static ApiException badRequest(String message) {
    return of(400, "BadRequest", message, null);
  }

  /** An internal error without a reason, as plain Go errors become. */
  public static ApiException internal(String message) {
    return of(500, null, message, null);
  }

  public static ApiException notFound(Names names, String name) {
    return of(
        404, "NotFound", names.qualified() + " \"" + name + "\" not found", names.details(name));
  }

  /** Returns a failure for a missing path of an existing group. */
  public static ApiException noSuchResource() {
    return of(404, "NotFound", "the server could not find the requested resource", Json.object());
  }

  public static ApiException methodNotAllowed() {
    return of(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        Json.object());
  }

  public static ApiException alreadyExists(Names names, String name, boolean beingDeleted) {
    return of(
        409,
        "AlreadyExists",
        (beingDeleted ? "object is being deleted: " : "")
            + names.qualified()
            + " \""
            + name
            + "\" already exists",
        names.details(name));
  }

  /** A write based on something that is no longer true. */
  public static ApiException conflict(Names names, String name, String why) {
    return of(
        409,
        "Conflict",
        "Operation cannot be fulfilled on " + names.qualified() + " \"" + name + "\": " + why,
        names.details(name));
  }

  public static ApiException modified(Names names, String name) {
    return conflict(
        names,
        name,
        "the object has been modified; please apply your changes to the latest version and try again");
  }

  /** The requested version is no longer in the history. */
  public static ApiException expired(String message) {
    return of(410, "Expired", message, null);
  }

  /** A list cannot go on consistently; {@code token} goes on with what is there now. */
  public static ApiException expiredList(String message, String token) {
    return new ApiException(410, "Expired", message, null, 0, token);
  }

  /** Returns a failure for an operation that the object does not allow. */
  public static ApiException forbidden(Names names, String name, String why) {
    return of(
        403,
        "Forbidden",
        names.qualified() + " \"" + name + "\" is forbidden: " + why,
        names.details(name));
  }

  public static ApiException unsupportedMediaType(String accepted) {
    return of(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
            + accepted,
        null);
  }

  /** Validation failed; {@code names.resource()} holds what is printed as the kind. */
  public static ApiException invalid(Names names, String name, List<Cause> causes) {
    Set<String> messages = new LinkedHashSet<>();
    ObjectNode details = names.details(name);
    ArrayNode list = details.putArray("causes");
    for (Cause cause : causes) {
      messages.add(cause.field() + ": " + cause.message());
      list.add(node(cause));
    }
    String text =
        messages.size() == 1 ? messages.iterator().next() : "[" + String.join(", ", messages) + "]";
    return of(422, "Invalid", names.qualified() + " \"" + name + "\" is invalid: " + text, details);
  }

  private static ObjectNode node(Cause cause) {
    ObjectNode node = Json.object();
    node.put("reason", cause.reason());
    node.put("message", cause.message());
    if (!cause.field().isEmpty()) {
      node.put("field", cause.field());
    }
    return node;
  }

  public int code() {
    return code;
  }

  /** Seconds for the {@code Retry-After} header; 0 = none. */
  public int retryAfter() {
    return retryAfter;
  }

  /** Returns the body of the answer. */
  public ObjectNode toStatus() {
    ObjectNode status = Json.object();
    status.put("kind", "Status").put("apiVersion", "v1");
    ObjectNode meta = status.putObject("metadata");
    if (!continueToken.isEmpty()) {
      meta.put("continue", continueToken);
    }
    status.put("status", "Failure").put("message", getMessage());
    if (reason != null) {
      status.put("reason", reason);
    }
    if (details != null) {
      status.set("details", details);
    }
    return status.put("code", code);
  }

  /**
   * The subject of a failure, as its message names it; immutable.
   *
   * @param group API group, empty for core
   * @param resource plural resource, or kind where the real server uses the kind
   */
  public record Names(String group, String resource) {
    /** The resource with its group. */
    public String qualified() {
      return group.isEmpty() ? resource : resource + "." + group;
    }

    /** The details of a failure; {@code name} may be empty. */
    public ObjectNode details(String name) {
      ObjectNode details = Json.object();
      if (!name.isEmpty()) {
        details.put("name", name);
      }
      if (!group.isEmpty()) {
        details.put("group", group);
      }
      if (!resource.isEmpty()) {
        details.put("kind", resource);
      }
      return details;
    }
  }
}
