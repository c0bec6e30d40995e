// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An audit record.
 *
 * @param replica null in the list of one replica
 * @param seq its number in one run of its replica
 * @param fields its other fields, texts and integers, in the order of the audit log
 */
public record AuditResource(
    @Nullable String replica,
    long seq,
    Instant at,
    @JsonAnyGetter @JsonAnySetter Map<String, Object> fields) {

  /** Returns the record with its replica. */
  public AuditResource at(String name) {
    return new AuditResource(name, seq, at, fields);
  }

  /** Returns the value of a field, or an empty text. */
  public String text(String field) {
    return String.valueOf(fields.getOrDefault(field, ""));
  }
}
