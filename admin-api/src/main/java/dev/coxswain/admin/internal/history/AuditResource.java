// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.HumanDuration;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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

  static final Columns<AuditResource> COLUMNS =
      Columns.<AuditResource>of(one -> Long.toString(one.seq()))
          .age("AGE", "The time since then.", AuditResource::at)
          .text("STAGE", "Before or after the change.", one -> one.text("stage"))
          .text("ACTOR", "Who requested the change.", one -> one.text("actor"))
          .text("ACTION", "The kind of the change.", one -> one.text("action"))
          .text("CONTROLLER", "The controller.", one -> one.text("controller"))
          .text("ON", "What was changed.", AuditResource::changedThing)
          .text("CHANGE", "The values before and after.", AuditResource::shownChange)
          .text("RESULT", "The outcome in one word.", one -> one.text("result"))
          .text("REASON", "The reason of the request.", one -> one.text("reason"))
          .wide()
          .text("TIME", "The time.", one -> HumanDuration.time(one.at()))
          .text("REQUEST", "The id of the request.", one -> one.text("requestId"))
          .text("REPLICA", "The replica that recorded it.", AuditResource::replica)
          .text("REMOTE", "The address of the client.", one -> one.text("remote"))
          .text("SELECTOR", "The filter of an operation.", one -> one.text("selector"))
          .build();

  /** The ending of the fields of a change with the values before it. */
  private static final String BEFORE = "Before";

  private static final String PAUSE = "pause";

  /** The beginning of the fields with all that was in force of a limiter. */
  private static final String LIMIT = "limit";

  /** Returns the record with its replica. */
  public AuditResource at(String name) {
    return new AuditResource(name, seq, at, fields);
  }

  /** Returns the value of a field, or an empty text. */
  public String text(String field) {
    return String.valueOf(fields.getOrDefault(field, ""));
  }

  /** Returns the values before and after a change, for display; empty without any. */
  public String shownChange() {
    return shown(text("change"));
  }

  private String changedThing() {
    for (String kind : List.of("limiter", "plugin")) {
      if (fields.containsKey(kind)) {
        return kind + "/" + text(kind);
      }
    }
    return text("item") + text("operation");
  }

  /**
   * Returns a change as {@code rate 10 -> 5, ttl 30m}; a text that is no JSON object stays as it is.
   */
  private static String shown(String change) {
    JsonNode values;
    try {
      values = Json.read(change.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      return change; // longer than a record can be
    }
    if (values == null || values.isEmpty() || !values.isObject()) {
      return change;
    }
    List<String> changes = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : values.properties()) {
      String name = field.getKey();
      if (name.startsWith(LIMIT)) {
        continue; // in other words before it
      }
      if (name.endsWith(BEFORE) && values.has(name.replace(BEFORE, ""))) {
        continue; // with the value after it
      }
      JsonNode before = values.path(name + BEFORE);
      if (name.equals(PAUSE)) {
        changes.add(
            name
                + " "
                + (before.isMissingNode() ? "" : end(before) + " -> ")
                + end(field.getValue()));
        continue;
      }
      changes.add(
          name + " " + (isAbsent(before) ? "" : plain(before) + " -> ") + plain(field.getValue()));
    }
    return String.join(", ", changes);
  }

  private static String end(JsonNode pause) {
    return isAbsent(pause)
        ? "none"
        : pause.hasNonNull("until") ? "until " + pause.path("until").asText() : "until resumed";
  }

  private static boolean isAbsent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static String plain(JsonNode value) {
    if (value.isFloatingPointNumber()) {
      return new BigDecimal(value.asText()).toPlainString();
    }
    return isAbsent(value) ? "" : value.isContainerNode() ? value.toString() : value.asText();
  }
}
