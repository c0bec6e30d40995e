// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.OperationResource;
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
 * What was read of the stored history. Immutable.
 *
 * @param operations the final parts of operations, by id and by replica
 * @param records the audit records, the youngest first
 * @param events what replicas have seen, in no order
 * @param invalid the number of entries that could not be read
 * @param problem why it is not complete, or null
 */
public record StoredHistory(
    Map<String, Map<String, OperationResource>> operations,
    List<StoredRecord> records,
    List<TimelineEvent> events,
    int invalid,
    @Nullable String problem) {

  /** Nothing is stored. */
  public static final StoredHistory NONE =
      new StoredHistory(Map.of(), List.of(), List.of(), 0, null);

  /** The entry of a final part. */
  record Part(String replica, OperationResource part) {}

  /** Reads entries; those of another form are counted. */
  static StoredHistory read(List<HistoryStore.Entry> entries) {
    Map<String, Map<String, OperationResource>> operations = new LinkedHashMap<>();
    Map<StoredRecord.Position, StoredRecord> records = new TreeMap<>();
    List<TimelineEvent> events = new ArrayList<>();
    int invalid = 0;
    for (HistoryStore.Entry entry : entries) {
      boolean valid;
      try {
        byte[] json = entry.json().getBytes(StandardCharsets.UTF_8);
        valid =
            switch (entry.kind()) {
              case OPERATION -> addPart(operations, Json.read(json, Part.class));
              case AUDIT -> addRecord(records, Json.read(json, StoredRecord.Entry.class));
              case EVENT -> addEvent(events, Json.read(json, TimelineEvent.class));
            };
      } catch (IOException e) {
        valid = false; // changed by hand
      }
      invalid += valid ? 0 : 1;
    }
    return new StoredHistory(
        operations, List.copyOf(records.values()), List.copyOf(events), invalid, null);
  }

  private static boolean addRecord(
      Map<StoredRecord.Position, StoredRecord> records, StoredRecord.Entry entry) {
    StoredRecord record = StoredRecord.of(entry).orElse(null);
    if (record != null) {
      records.putIfAbsent(record.position(), record);
    }
    return record != null;
  }

  private static boolean addEvent(List<TimelineEvent> events, TimelineEvent event) {
    return event.isValid() && events.add(event);
  }

  /** The first part of a replica remains; a later one adds the replicas that refused theirs. */
  @SuppressWarnings("NullAway") // what was read may lack any field
  private static boolean addPart(
      Map<String, Map<String, OperationResource>> operations, Part entry) {
    OperationResource part = entry.part();
    if (entry.replica() == null
        || entry.replica().isEmpty()
        || part == null
        || part.id() == null
        || part.id().isEmpty()
        || part.state() == null
        || part.state().isEmpty()) {
      return false;
    }
    operations
        .computeIfAbsent(part.id(), id -> new TreeMap<>())
        .merge(
            entry.replica(),
            part,
            (first, later) ->
                first.refusals() == null ? first.withRefusals(later.refusals()) : first);
    return true;
  }

  /** Returns the same with a problem. */
  StoredHistory with(@Nullable String why) {
    return new StoredHistory(operations, records, events, invalid, why);
  }

  /** Returns the final parts of an operation, by replica; empty for an unknown one. */
  public Map<String, OperationResource> parts(String id) {
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
}
