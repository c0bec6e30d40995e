// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.json.Json;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a list of audit records; what is null is not filtered. Immutable.
 *
 * @param since the time of the oldest record
 * @param requestId the id of one request
 */
public record AuditFilter(
    @Nullable Instant since,
    @Nullable String actor,
    @Nullable String action,
    @Nullable String controller,
    @Nullable String requestId) {

  /** Reads the filter; adds a fault to the query for a value that is none. */
  public static AuditFilter read(Query query) {
    return new AuditFilter(
        since(query),
        query.text("actor", 253),
        query.text("action", 64),
        query.text("controller", 253),
        query.text("requestId", 64));
  }

  /** Reads the time of the oldest record; adds a fault to the query for a value that is none. */
  public static @Nullable Instant since(Query query) {
    return time(query, "since");
  }

  /** Reads a time; adds a fault to the query for a value that is none. */
  public static @Nullable Instant time(Query query, String name) {
    String text = query.text(name, 40);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException e) {
      query.fault(
          name, "must be a time as 2026-11-20T10:02:11Z, found \"" + Json.line(text, 40) + "\"");
      return null;
    }
  }

  /** Returns whether a record is older than those that are wanted. */
  public boolean isTooOld(Instant at) {
    return since != null && at.isBefore(since);
  }

  /** Returns whether a record is one of those that are wanted. */
  public boolean matches(String ofActor, String ofAction, String ofController, String ofRequest) {
    return (actor == null || actor.equals(ofActor))
        && (action == null || action.equals(ofAction))
        && (controller == null || controller.equals(ofController))
        && (requestId == null || requestId.equals(ofRequest));
  }
}
