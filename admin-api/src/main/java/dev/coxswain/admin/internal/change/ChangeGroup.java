// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.coxswain.admin.internal.history.AuditResource;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.resource.Effect;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The audit records of one request, of all replicas, the youngest first. */
final class ChangeGroup {

  /** After this time without an outcome, a request has none. */
  private static final Duration RUNNING = Duration.ofSeconds(30);

  /** The beginning of the result of a request that had timed out before it ended. */
  private static final String LATE = "late-";

  /** Records of one request are not further apart; the clocks of replicas may differ by that. */
  private static final Duration TOGETHER = Duration.ofSeconds(10);

  /** Results with which a change may have been made nevertheless. */
  private static final Set<String> UNDECIDED =
      Set.of("timeout", "internal", Problem.UNKNOWN, "request-running", "pause-not-stored");

  /** Records that are no change of an operator, or repeat one. */
  private static final Set<String> NO_CHANGES = Set.of("login", "note-operation", "undo");

  private final List<AuditResource> records = new ArrayList<>();
  private final Map<String, Part> parts = new TreeMap<>();
  final int round;
  private int lastRound;
  private boolean ambiguous;

  /** What is read from the records, until another one is added. */
  private @Nullable String cause;

  private @Nullable UndoParts states;
  private boolean hasReadStates;

  /** What one replica has recorded. */
  private static final class Part {
    @Nullable Entry intent;
    @Nullable Entry outcome;

    Stream<Entry> entries() {
      return Stream.of(Optional.ofNullable(outcome), Optional.ofNullable(intent))
          .flatMap(Optional::stream);
    }
  }

  /** A record, whose change is read once. */
  private static final class Entry {
    final AuditResource record;
    private @Nullable JsonNode change;

    Entry(AuditResource record) {
      this.record = record;
    }

    /** Returns the recorded change; a missing node for none. */
    JsonNode change() {
      JsonNode known = change;
      if (known == null) {
        known = read(record.text("change"));
        change = known;
      }
      return known;
    }

    private static JsonNode read(String json) {
      try {
        JsonNode read = json.isEmpty() ? null : Json.read(json.getBytes(StandardCharsets.UTF_8));
        return read == null ? MissingNode.getInstance() : read;
      } catch (IOException e) {
        return MissingNode.getInstance(); // cut, or changed by hand
      }
    }
  }

  /**
   * Creates an empty group.
   *
   * @param round the number of the page that its first record is on
   */
  ChangeGroup(int round) {
    this.round = round;
    this.lastRound = round;
  }

  /** Returns whether a record can belong to a change. */
  static boolean concerns(AuditResource record) {
    String result = record.text("result");
    return !NO_CHANGES.contains(record.text("action"))
        && !result.equals("replayed")
        && !result.equals(Effect.PREVIEW);
  }

  /**
   * Returns what the records of one request have in common. A client may use the id of a request
   * several times, so the id alone is not enough.
   */
  static List<String> key(AuditResource record) {
    return List.of(
        record.text("requestId"),
        record.text("actor"),
        record.text("action"),
        record.text("controller"),
        record.text("limiter"),
        record.text("plugin"),
        record.text("item"));
  }

  /** Returns a short digest of a text, for positions. */
  static String hash(List<String> parts) {
    return Hashes.of(parts).substring(0, 8);
  }

  void add(AuditResource record, int page) {
    lastRound = page;
    records.add(record);
    cause = null;
    hasReadStates = false;
    Part part =
        parts.computeIfAbsent(Objects.requireNonNullElse(record.replica(), ""), _ -> new Part());
    if (record.text("stage").equals("intent")) {
      ambiguous |= part.intent != null;
      part.intent = new Entry(record);
    } else if (part.outcome == null || !isBeforeLate(record, part.outcome.record)) {
      ambiguous |= part.outcome != null;
      part.outcome = new Entry(record);
    }
  }

  /** Returns whether a record is that of the time-out of a request that has ended later. */
  private static boolean isBeforeLate(AuditResource record, AuditResource younger) {
    return record.text("result").equals("timeout") && younger.text("result").startsWith(LATE);
  }

  String hash() {
    return hash(key(first()));
  }

  private AuditResource first() {
    return records.getFirst();
  }

  Instant at() {
    return first().at();
  }

  Instant oldest() {
    return records.getLast().at();
  }

  /** Returns whether records of it may be on a page from a number on. */
  boolean mayContinue(int page) {
    return lastRound >= page || isOpen();
  }

  /** Returns whether it has all records, when records up to a time have been read. */
  boolean isComplete(Instant read) {
    return !isOpen() && read.isBefore(oldest().minus(TOGETHER));
  }

  /** Returns whether the intent of an outcome is missing yet. */
  private boolean isOpen() {
    return parts.values().stream()
        .anyMatch(
            part -> part.intent == null && part.outcome != null && isGood(part.outcome.record));
  }

  String requestId() {
    return text("requestId");
  }

  String actor() {
    return text("actor");
  }

  String action() {
    return text("action");
  }

  String controller() {
    return text("controller");
  }

  String limiter() {
    return text("limiter");
  }

  /** Returns the request that it has undone; empty for none. */
  String undoes() {
    return any("undoes");
  }

  /** Returns the cause that it is limited to, which each of its records has; empty for none. */
  String cause() {
    String known = cause;
    if (known == null) {
      known =
          parts.values().stream()
              .flatMap(Part::entries)
              .map(entry -> entry.change().path("cause").asText(""))
              .filter(text -> !text.isEmpty())
              .findFirst()
              .orElse("");
      cause = known;
    }
    return known;
  }

  /** Returns the states before and after it; empty when no replica has recorded both. */
  Optional<UndoParts> states() {
    if (!hasReadStates) {
      states = UndoParts.of(this).orElse(null);
      hasReadStates = true;
    }
    return Optional.ofNullable(states);
  }

  private String text(String field) {
    return first().text(field);
  }

  /** Returns the value of a field in the youngest record that has it. */
  private String any(String field) {
    return records.stream()
        .map(record -> record.text(field))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse("");
  }

  Optional<ChangeKind> kind() {
    return ChangeKind.of(action());
  }

  /** Returns the name of what was changed, which the changes of the same thing have in common. */
  List<String> subject() {
    return List.of(kind().map(Enum::name).orElse(action()), controller(), limiter(), cause());
  }

  /** Returns whether several requests have the same id, and are not told apart. */
  boolean isAmbiguous() {
    return ambiguous;
  }

  private static boolean isGood(AuditResource outcome) {
    return status(outcome) < 400 && !outcome.text("result").equals(ChangedValue.SKIPPED);
  }

  private static int status(AuditResource outcome) {
    return outcome.fields().get("status") instanceof Number status ? status.intValue() : 500;
  }

  private List<AuditResource> outcomes() {
    return parts.values().stream()
        .flatMap(part -> Optional.ofNullable(part.outcome).stream())
        .map(entry -> entry.record)
        .toList();
  }

  /** Returns the outcome in one word; empty when nothing was changed. */
  String result(Instant now) {
    List<AuditResource> all = outcomes();
    if (all.isEmpty()) {
      boolean runs = !any("operation").isEmpty() || at().isAfter(now.minus(RUNNING));
      return runs ? "running" : "unknown";
    }
    List<AuditResource> good = all.stream().filter(ChangeGroup::isGood).toList();
    if (!good.isEmpty()) {
      return all.stream().anyMatch(one -> status(one) >= 400)
          ? "partial"
          : inTime(good.getFirst().text("result"));
    }
    boolean undecided =
        parts.values().stream()
            .anyMatch(part ->
                part.intent != null
                    && part.outcome != null
                    && UNDECIDED.contains(inTime(part.outcome.record.text("result"))));
    return undecided ? "unknown" : "";
  }

  private static String inTime(String result) {
    return result.startsWith(LATE) ? result.substring(LATE.length()) : result;
  }

  /** Returns the changes that replicas have recorded with an outcome, by replica. */
  Map<String, JsonNode> changes() {
    Map<String, JsonNode> changes = new TreeMap<>();
    parts.forEach((replica, part) -> {
      if (part.outcome != null && isGood(part.outcome.record)) {
        JsonNode change = part.outcome.change();
        if (change.isObject()) {
          changes.put(replica, change);
        }
      }
    });
    return changes;
  }

  private String words() {
    Set<String> words =
        outcomes().stream()
            .filter(ChangeGroup::isGood)
            .map(AuditResource::shownChange)
            .filter(text -> !text.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    return words.isEmpty() ? first().shownChange() : String.join("; ", words);
  }

  /**
   * Returns it for display.
   *
   * @param undo whether it can be undone
   */
  ChangeRecord shown(String undo, Instant now) {
    UndoParts values = states().orElse(null);
    return ChangeRecordBuilder.builder()
        .requestId(requestId())
        .at(at())
        .actor(actor())
        .action(action())
        .controller(orNull(controller()))
        .cause(orNull(cause()))
        .limiter(orNull(limiter()))
        .item(orNull(text("item")))
        .plugin(orNull(text("plugin")))
        .operation(orNull(any("operation")))
        .change(orNull(values == null ? words() : values.words()))
        .before(values == null ? null : values.shownBefore())
        .after(values == null ? null : values.shownAfter())
        .reason(orNull(any("reason")))
        .result(result(now))
        .matched(number("matched"))
        .applied(number("applied"))
        .replicas(List.copyOf(parts.keySet()))
        .undoes(orNull(undoes()))
        .undo(undo)
        .build();
  }

  private @Nullable Long number(String field) {
    return outcomes().stream()
        .map(record -> record.fields().get(field))
        .filter(Number.class::isInstance)
        .map(value -> ((Number) value).longValue())
        .findFirst()
        .orElse(null);
  }

  static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
