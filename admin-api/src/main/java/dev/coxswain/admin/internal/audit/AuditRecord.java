// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import java.time.Instant;

/**
 * One line of the audit.
 *
 * @param seq its number in this run of this replica, from 1
 * @param at when
 * @param stage before or after
 * @param actor who
 * @param groups their groups, with commas
 * @param action what
 * @param controller where, or empty
 * @param item with which item, or empty
 * @param operation in which operation, or empty
 * @param selector with which items, as JSON, or empty
 * @param limiter of which limiter, or empty
 * @param change what is set, as JSON, or empty
 * @param reason why, as they say
 * @param matched how many items it is about, -1 when that does not apply
 * @param applied how many items were changed, -1 when that does not apply
 * @param result the outcome in one word, empty for an intent
 * @param status the HTTP status, 0 for an intent
 * @param requestId which request
 * @param remote from which address
 */
public record AuditRecord(
    long seq,
    Instant at,
    Stage stage,
    String actor,
    String groups,
    String action,
    String controller,
    String item,
    String operation,
    String selector,
    String limiter,
    String change,
    String reason,
    int matched,
    int applied,
    String result,
    int status,
    String requestId,
    String remote) {

  /** When a record is made. */
  enum Stage {
    /** Before anything is changed. */
    INTENT("intent"),
    /** When it is known what became of it. */
    OUTCOME("outcome");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  AuditRecord numbered(long number, Instant time) {
    return new AuditRecord(
        number,
        time,
        stage,
        actor,
        groups,
        action,
        controller,
        item,
        operation,
        selector,
        limiter,
        change,
        reason,
        matched,
        applied,
        result,
        status,
        requestId,
        remote);
  }

  public ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.put("seq", seq);
    Json.putTime(json, "at", at);
    json.put("stage", stage.label());
    json.put("actor", actor);
    putText(json, "groups", groups);
    json.put("action", action);
    putText(json, "controller", controller);
    putText(json, "item", item);
    putText(json, "operation", operation);
    putText(json, "selector", selector);
    putText(json, "limiter", limiter);
    putText(json, "change", change);
    putText(json, "reason", reason);
    if (matched >= 0) {
      json.put("matched", matched);
    }
    if (applied >= 0) {
      json.put("applied", applied);
    }
    putText(json, "result", result);
    if (status > 0) {
      json.put("status", status);
    }
    json.put("requestId", requestId);
    json.put("remote", remote);
    return json;
  }

  private static void putText(ObjectNode json, String field, String text) {
    if (!text.isEmpty()) {
      json.put(field, text);
    }
  }
}
