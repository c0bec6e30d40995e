// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.HistoryStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was read of the stored history. Immutable; its JSON must not be changed.
 *
 * @param operations the final parts of operations, by id and by replica
 * @param records the audit records, the youngest first
 * @param invalid the number of entries that could not be read
 * @param problem why it is not complete, or null
 */
public record StoredHistory(
    Map<String, Map<String, ObjectNode>> operations,
    List<StoredRecord> records,
    int invalid,
    @Nullable String problem) {

  /** The field of a response that says why stored entries may be missing in it. */
  public static final String PROBLEM = "historyProblem";

  /** Nothing is stored. */
  public static final StoredHistory NONE = new StoredHistory(Map.of(), List.of(), 0, null);

  private static final String REPLICA = "replica";
  private static final String PART = "part";
  private static final String REFUSALS = "refusals";

  /** Returns the entry of a final part. */
  static ObjectNode part(String replica, ObjectNode part) {
    ObjectNode entry = Json.object().put(REPLICA, Json.clean(replica));
    entry.set(PART, part);
    return entry;
  }

  /** Returns the entry of an audit record. */
  static ObjectNode record(String replica, String run, ObjectNode record) {
    ObjectNode shown = Json.object().put(REPLICA, Json.clean(replica));
    shown.setAll(record);
    ObjectNode entry = Json.object().put("run", run);
    entry.set("record", shown);
    return entry;
  }

  /** Reads entries; those of another form are counted. */
  static StoredHistory read(List<HistoryStore.Entry> entries) {
    Map<String, Map<String, ObjectNode>> operations = new LinkedHashMap<>();
    Map<StoredRecord.Position, StoredRecord> records = new TreeMap<>();
    int invalid = 0;
    for (HistoryStore.Entry entry : entries) {
      JsonNode json = json(entry.json());
      boolean valid =
          switch (entry.kind()) {
            case OPERATION -> addPart(operations, json);
            case AUDIT ->
                StoredRecord.of(json)
                    .map(record -> {
                      records.putIfAbsent(record.position(), record);
                      return true;
                    })
                    .orElse(false);
          };
      invalid += valid ? 0 : 1;
    }
    return new StoredHistory(operations, List.copyOf(records.values()), invalid, null);
  }

  /** The first part of a replica remains; a later one adds the replicas that refused theirs. */
  private static boolean addPart(Map<String, Map<String, ObjectNode>> operations, JsonNode entry) {
    String replica = entry.path(REPLICA).asText();
    if (replica.isEmpty()
        || !(entry.path(PART) instanceof ObjectNode part)
        || part.path("id").asText().isEmpty()
        || part.path("state").asText().isEmpty()) {
      return false;
    }
    ObjectNode first =
        operations
            .computeIfAbsent(part.path("id").asText(), id -> new TreeMap<>())
            .putIfAbsent(replica, part);
    if (first != null && !first.has(REFUSALS) && part.has(REFUSALS)) {
      first.set(REFUSALS, part.get(REFUSALS));
    }
    return true;
  }

  private static JsonNode json(String text) {
    try {
      JsonNode json = Json.read(text.getBytes(StandardCharsets.UTF_8));
      return json == null ? Json.object() : json;
    } catch (IOException e) {
      return Json.object(); // changed by hand
    }
  }

  /** Returns the same with a problem. */
  StoredHistory with(@Nullable String why) {
    return new StoredHistory(operations, records, invalid, why);
  }

  /** Returns the final parts of an operation, by replica; empty for an unknown one. */
  public Map<String, ObjectNode> parts(String id) {
    return operations.getOrDefault(id, Map.of());
  }

  /**
   * Returns the records after a position.
   *
   * @param from the position, or null for the beginning
   * @param runs the runs whose records are not wanted
   */
  public List<StoredRecord> after(StoredRecord.@Nullable Position from, Set<String> runs) {
    List<StoredRecord> after = new ArrayList<>();
    for (StoredRecord record : records) {
      if ((from == null || record.position().compareTo(from) > 0)
          && !runs.contains(record.position().run())) {
        after.add(record);
      }
    }
    return after;
  }

  /** Adds the problem to a response, which is partial then. */
  public void mark(ObjectNode response) {
    if (problem != null) {
      response.put("partial", true);
      response.put(PROBLEM, problem);
    }
  }
}
