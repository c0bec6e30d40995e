// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import dev.coxswain.admin.internal.history.AuditResource;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One audit record. Immutable.
 *
 * @param seq its number in this run of the replica, from 1
 * @param fields its values, texts and integers
 */
public record AuditRecord(long seq, Instant at, Map<Field, Object> fields) {

  /** The fields of a record, in the order of the audit log. */
  public enum Field {
    /** {@code intent} before the change, {@code outcome} after it. */
    STAGE("stage", 16),
    ACTOR("actor", 253),
    /** The groups of the actor, separated by commas. */
    GROUPS("groups", 512),
    ACTION("action", 64),
    CONTROLLER("controller", 64),
    ITEM("item", 512),
    REASON("reason", 512),
    OPERATION("operation", 64),
    /** The filter of an operation, as JSON. */
    SELECTOR("selector", 1024),
    LIMITER("limiter", 64),
    PLUGIN("plugin", 253),
    /** The values before and after, as JSON. */
    CHANGE("change", 3072),
    /** The number of items that matched, and of those that were changed. */
    MATCHED("matched", 0),
    APPLIED("applied", 0),
    /** The id of the request that this one undoes. */
    UNDOES("undoes", 64),
    /** The outcome in one word, and the HTTP status. */
    RESULT("result", 64),
    STATUS("status", 0),
    REQUEST_ID("requestId", 64),
    /** The address of the client. */
    REMOTE("remote", 253);

    final String label;
    final int maxLength;

    Field(String label, int maxLength) {
      this.label = label;
      this.maxLength = maxLength;
    }
  }

  public String actor() {
    return text(Field.ACTOR);
  }

  public String action() {
    return text(Field.ACTION);
  }

  public String controller() {
    return text(Field.CONTROLLER);
  }

  public String requestId() {
    return text(Field.REQUEST_ID);
  }

  private String text(Field field) {
    return String.valueOf(fields.get(field));
  }

  /** Returns the record as the API shows it, without its replica. */
  public AuditResource shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    fields.forEach((field, value) -> {
      if (!value.equals("") || field == Field.ACTOR || field == Field.REQUEST_ID) {
        shown.put(field.label, value);
      }
    });
    return new AuditResource(null, seq, at, shown);
  }
}
