// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.Phase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The JSON of operations and their previews. */
public final class OperationView {

  /** The state of a part without a report of its replica. */
  static final String UNKNOWN = "Unknown";

  /** The state of a part that did not begin: its replica refused or could not be reached. */
  static final String REFUSED = "Refused";

  /** All states of a whole operation. */
  static final Set<String> STATES =
      Stream.concat(
              Stream.of(Operation.State.values()).map(Operation.State::label), Stream.of(UNKNOWN))
          .collect(Collectors.toUnmodifiableSet());

  /** The names of the participants; between replicas. */
  static final String PARTICIPANTS = "participants";

  /** The final parts of other replicas, by replica. */
  static final String FINAL_PARTS = "finalParts";

  /** The participants that refused their parts; between replicas. */
  static final String REFUSALS = "refusals";

  /** Whether a stop has stopped it: applied, or skipped when it had ended. */
  static final String RESULT = "result";

  /** When the last item is expected to be due, while that is not over. */
  static final String EXPECTED_END = "expectedEnd";

  /** The counts of each part. */
  static final List<String> COUNTS =
      List.of("matched", "done", "applied", "skipped", "moved", "failed", "remaining");

  private static final List<String> EVENT_FIELDS =
      List.of(
          "id",
          "controller",
          "action",
          "state",
          "actor",
          "matched",
          "done",
          "applied",
          "failed",
          "remaining",
          "startedAt",
          "endedAt");

  private OperationView() {}

  static ObjectNode operation(Operation operation, String replica) {
    OperationRecord record = operation.record();
    BulkResult result = operation.result();
    BulkProgress counts = operation.counts();
    String state = operation.state().label();
    ObjectNode json = head(record, state, operation.detail());
    int matched = operation.matched();
    json.put("matched", matched);
    json.put("done", counts.done());
    json.put("applied", counts.changed());
    json.put("skipped", counts.done() - counts.changed() - counts.failed());
    json.put("moved", counts.moved());
    json.put("failed", counts.failed());
    json.put("remaining", Math.max(0, matched - counts.done()));
    byResult(json, counts);
    if (result != null && result.firstFailure() != null) {
      json.put("firstFailure", Json.line(result.firstFailure(), Json.MAX_ERROR_TEXT));
    }
    if (record.request().bulk().then() != Then.NONE) {
      json.put("relisted", counts.relisted());
      json.put("notRelisted", counts.notRelisted());
    }
    if (result != null) {
      found(json, result);
    }
    json.putArray("members")
        .addObject()
        .put("id", replica)
        .put("state", state)
        .put("applied", counts.changed());
    participants(json, record.header());
    Operation.Stop stop = operation.stopped();
    if (stop != null) {
      ObjectNode shown = json.putObject("stop");
      shown.put("actor", Json.clean(stop.actor())).put("reason", Json.clean(stop.reason()));
      Json.putTime(shown, "at", stop.at());
    }
    Json.putTime(json, "startedAt", record.startedAt());
    Json.putTime(json, "endedAt", operation.endedAt());
    Json.putTime(json, EXPECTED_END, operation.expectedEnd());
    return json;
  }

  /** Returns the JSON of a remote operation, whose progress is not known. */
  static ObjectNode remote(OperationRecord record) {
    ObjectNode json = head(record, UNKNOWN, null);
    COUNTS.forEach(count -> json.put(count, 0));
    json.putArray("byResult");
    json.putArray("members");
    participants(json, record.header());
    Json.putTime(json, "startedAt", record.startedAt());
    return json;
  }

  /** Returns the progress of an operation, for events. */
  public static ObjectNode event(Operation operation) {
    return operation(operation, "").retain(EVENT_FIELDS);
  }

  private static ObjectNode head(OperationRecord record, String state, @Nullable String detail) {
    ObjectNode json = Json.object();
    json.put("kind", "Operation");
    json.put("id", record.id());
    json.put("controller", Json.clean(record.controller()));
    request(json, record.request());
    json.put("state", state);
    putText(json, "detail", detail);
    json.put("actor", Json.clean(record.actor()));
    json.put("reason", Json.clean(record.request().reason()));
    return json;
  }

  private static void participants(ObjectNode json, OperationHeader header) {
    var participants = json.putArray(PARTICIPANTS);
    header.participants().forEach(name -> participants.add(Json.clean(name)));
    refusals(json, header);
  }

  /** Adds the participants that refused their parts. */
  public static void refusals(ObjectNode json, OperationHeader header) {
    if (!header.refused().isEmpty()) {
      ObjectNode refusals = json.putObject(REFUSALS);
      header.refused().forEach((name, problem) -> refusals.put(Json.clean(name), problem));
    }
  }

  private static void byResult(ObjectNode json, BulkProgress counts) {
    var results = json.putArray("byResult");
    if (counts.changed() > 0) {
      results.addObject().put("result", "applied").put("count", counts.changed());
    }
    largestFirst(counts.skipped())
        .forEach(e ->
            results
                .addObject()
                .put("result", "skipped")
                .put("cause", Json.clean(e.getKey()))
                .put("count", e.getValue()));
    if (counts.failed() > 0) {
      results.addObject().put("result", "failed").put("count", counts.failed());
    }
  }

  /** Returns the result of a dry run, without the token and its expiry. */
  static ObjectNode preview(String controller, OperationRequest request, BulkResult result) {
    ObjectNode json = Json.object();
    json.put("kind", "OperationPreview");
    json.put("controller", controller);
    request(json, request);
    json.put("dryRun", true);
    json.put("result", "preview");
    json.put("matched", result.matched());
    if (request.bulk().then() != Then.NONE) {
      json.put("willRelist", result.relisted());
      json.put("notRelisted", result.notRelisted());
    }
    found(json, result);
    var warnings = json.putArray("warnings");
    if (result.matched() > request.bulk().maxAffected()) {
      warnings.add(
          matches(result.matched())
              + " items match and maxAffected is "
              + request.bulk().maxAffected()
              + ": the operation would be refused");
    }
    if (request.label().equals("flush") && request.bulk().then() == Then.NONE) {
      warnings.add("flushed items are reconciled again only when their object changes");
    }
    return json;
  }

  private static void request(ObjectNode json, OperationRequest request) {
    BulkRequest bulk = request.bulk();
    json.put("action", request.label());
    json.set("selector", selector(bulk.filter()));
    if (request.label().equals("flush")) {
      json.put(
          "then",
          switch (bulk.then()) {
            case NONE -> "none";
            case RELIST -> "relist";
            case REQUEUE_AFTER -> "requeueAfter=" + Durations.format(bulk.delay());
          });
      json.put("keepFailures", bulk.keepFailures());
      json.put("dropDirty", bulk.dropDirty());
    } else if (bulk.action() == BulkRequest.Action.REQUEUE) {
      json.put("delay", Durations.format(bulk.delay()));
    }
    json.put("itemsPerSecond", bulk.itemsPerSecond());
    json.put("maxAffected", bulk.maxAffected());
  }

  public static ObjectNode selector(ItemFilter filter) {
    ObjectNode json = Json.object();
    if (!filter.phases().isEmpty()) {
      var phases = json.putArray("phase");
      filter.phases().stream().sorted().forEach(phase -> phases.add(phase.label()));
    }
    if (filter.failing() != null) {
      json.put("failing", filter.failing());
    }
    if (filter.minFailures() > 0) {
      json.put("minFailures", filter.minFailures());
    }
    putText(json, "namespace", filter.namespace());
    putText(json, "name", filter.nameGlob());
    if (filter.olderThan() != null) {
      json.put("olderThan", Durations.format(filter.olderThan()));
    }
    Json.putTime(json, "readyBefore", filter.readyBefore());
    putText(json, "errorClass", filter.errorClass());
    putText(json, ItemFilters.SELECTOR, filter.labelSelector());
    return json;
  }

  private static void putText(ObjectNode json, String field, @Nullable String text) {
    if (text != null) {
      json.put(field, Json.clean(text));
    }
  }

  private static void found(ObjectNode json, BulkResult result) {
    ObjectNode phases = json.putObject("byPhase");
    for (Phase phase : Phase.values()) {
      Integer count = result.byPhase().get(phase);
      if (count != null) {
        phases.put(phase.label(), count);
      }
    }
    ObjectNode namespaces = json.putObject("byNamespace");
    largestFirst(result.byNamespace())
        .forEach(e -> namespaces.put(Json.clean(e.getKey()), e.getValue()));
    var sample = json.putArray("sample");
    result.sample().forEach(item -> sample.add(Json.clean(item)));
    json.put("asOfSeq", result.asOfSeq());
  }

  private static List<Map.Entry<String, Integer>> largestFirst(Map<String, Integer> counts) {
    return counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .toList();
  }

  /** Returns a count for messages. Counting stops at the limit of all operations. */
  static String matches(int matched) {
    return matched > BulkRequest.MAX_AFFECTED
        ? "more than " + BulkRequest.MAX_AFFECTED
        : Integer.toString(matched);
  }
}
