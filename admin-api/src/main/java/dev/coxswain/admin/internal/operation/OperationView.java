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

/** Shows operations and their previews. */
public final class OperationView {

  /** The state of a part of which nobody knows what became. */
  static final String UNKNOWN = "Unknown";

  /** The state of a part that did not begin: its replica refused, or could not be asked. */
  static final String REFUSED = "Refused";

  /** All states that a whole operation can have. */
  static final Set<String> STATES =
      Stream.concat(
              Stream.of(Operation.State.values()).map(Operation.State::label), Stream.of(UNKNOWN))
          .collect(Collectors.toUnmodifiableSet());

  /** Who has a part of an operation, between replicas. */
  static final String PARTICIPANTS = "participants";

  /** Who refused to begin a part of an operation, between replicas. */
  static final String REFUSALS = "refusals";

  /** What is counted of each part. */
  static final List<String> COUNTS =
      List.of("matched", "done", "applied", "skipped", "failed", "remaining");

  private OperationView() {}

  static ObjectNode operation(Operation operation, String replica) {
    OperationRequest order = operation.order();
    BulkResult result = operation.result();
    BulkProgress counts = operation.counts();
    ObjectNode json = Json.object();
    json.put("kind", "Operation");
    json.put("id", operation.id());
    json.put("controller", operation.controller());
    order(json, order);
    json.put("state", operation.state().label());
    if (operation.detail() != null) {
      json.put("detail", Json.clean(operation.detail()));
    }
    json.put("actor", Json.clean(operation.actor()));
    json.put("reason", Json.clean(order.reason()));
    int matched = operation.matched();
    json.put("matched", matched);
    json.put("done", counts.done());
    json.put("applied", counts.changed());
    json.put("skipped", counts.done() - counts.changed() - counts.failed());
    json.put("failed", counts.failed());
    json.put("remaining", Math.max(0, matched - counts.done()));
    byResult(json, counts);
    if (result != null && result.firstFailure() != null) {
      json.put("firstFailure", Json.line(result.firstFailure(), Json.MAX_ERROR_TEXT));
    }
    if (order.request().then() != Then.NONE) {
      json.put("relisted", counts.relisted());
      json.put("notRelisted", counts.notRelisted());
    }
    if (result != null) {
      found(json, result);
    }
    json.putArray("members")
        .addObject()
        .put("id", replica)
        .put("state", operation.state().label())
        .put("applied", counts.changed());
    participants(json, operation.participants(), operation.refused());
    Operation.Stop stop = operation.stopped();
    if (stop != null) {
      ObjectNode shown = json.putObject("stop");
      shown.put("actor", Json.clean(stop.actor())).put("reason", Json.clean(stop.reason()));
      Json.putTime(shown, "at", stop.at());
    }
    Json.putTime(json, "startedAt", operation.startedAt());
    Json.putTime(json, "endedAt", operation.endedAt());
    return json;
  }

  /** Shows what is known of an operation of others, which is nothing of how far it is. */
  static ObjectNode note(RemoteOperation note) {
    ObjectNode json = Json.object();
    json.put("kind", "Operation");
    json.put("id", note.id());
    json.put("controller", Json.clean(note.controller()));
    order(json, note.order());
    json.put("state", UNKNOWN);
    json.put("actor", Json.clean(note.actor()));
    json.put("reason", Json.clean(note.order().reason()));
    for (String count : COUNTS) {
      json.put(count, 0);
    }
    json.putArray("byResult");
    json.putArray("members");
    participants(json, note.ticket().participants(), note.ticket().refused());
    Json.putTime(json, "startedAt", note.notedAt());
    return json;
  }

  private static void participants(
      ObjectNode json, List<String> names, Map<String, String> refused) {
    var participants = json.putArray(PARTICIPANTS);
    names.forEach(name -> participants.add(Json.clean(name)));
    refusals(json, refused);
  }

  /** Adds who refused to begin their part. */
  public static void refusals(ObjectNode json, Map<String, String> refused) {
    if (!refused.isEmpty()) {
      ObjectNode refusals = json.putObject(REFUSALS);
      refused.forEach((name, problem) -> refusals.put(Json.clean(name), problem));
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

  /** Shows what a dry run found; the token and its end are added by the caller. */
  static ObjectNode preview(String controller, OperationRequest order, BulkResult result) {
    ObjectNode json = Json.object();
    json.put("kind", "OperationPreview");
    json.put("controller", controller);
    order(json, order);
    json.put("dryRun", true);
    json.put("result", "preview");
    json.put("matched", result.matched());
    if (order.request().then() != Then.NONE) {
      json.put("willRelist", result.relisted());
      json.put("notRelisted", result.notRelisted());
    }
    found(json, result);
    var warnings = json.putArray("warnings");
    if (result.matched() > order.request().maxAffected()) {
      warnings.add(
          matches(result)
              + " items match and maxAffected is "
              + order.request().maxAffected()
              + ": the operation would be refused");
    }
    if (order.label().equals("flush") && order.request().then() == Then.NONE) {
      warnings.add("flushed items are reconciled again only when their object changes");
    }
    return json;
  }

  private static void order(ObjectNode json, OperationRequest order) {
    BulkRequest request = order.request();
    json.put("action", order.label());
    json.set("selector", selector(request.filter()));
    if (order.label().equals("flush")) {
      json.put(
          "then",
          switch (request.then()) {
            case NONE -> "none";
            case RELIST -> "relist";
            case REQUEUE_AFTER -> "requeueAfter=" + Durations.format(request.delay());
          });
      json.put("keepFailures", request.keepFailures());
      json.put("dropDirty", request.dropDirty());
    } else if (request.action() == BulkRequest.Action.REQUEUE) {
      json.put("delay", Durations.format(request.delay()));
    }
    json.put("itemsPerSecond", request.itemsPerSecond());
    json.put("maxAffected", request.maxAffected());
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
    if (filter.namespace() != null) {
      json.put("namespace", Json.clean(filter.namespace()));
    }
    if (filter.nameGlob() != null) {
      json.put("name", Json.clean(filter.nameGlob()));
    }
    if (filter.olderThan() != null) {
      json.put("olderThan", Durations.format(filter.olderThan()));
    }
    Json.putTime(json, "readyBefore", filter.readyBefore());
    if (filter.errorClass() != null) {
      json.put("errorClass", Json.clean(filter.errorClass()));
    }
    if (filter.labelSelector() != null) {
      json.put(ItemFilters.SELECTOR, Json.clean(filter.labelSelector()));
    }
    return json;
  }

  /** Shows how far it is, for those who hear of every change. */
  public static ObjectNode event(Operation operation) {
    BulkProgress counts = operation.counts();
    int matched = operation.matched();
    ObjectNode json = Json.object();
    json.put("id", operation.id());
    json.put("controller", Json.clean(operation.controller()));
    json.put("action", operation.order().label());
    json.put("state", operation.state().label());
    json.put("actor", Json.clean(operation.actor()));
    json.put("matched", matched);
    json.put("done", counts.done());
    json.put("applied", counts.changed());
    json.put("failed", counts.failed());
    json.put("remaining", Math.max(0, matched - counts.done()));
    Json.putTime(json, "startedAt", operation.startedAt());
    Json.putTime(json, "endedAt", operation.endedAt());
    return json;
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

  /** Counting stops at the limit of any operation, so beyond it nobody knows how many there are. */
  static String matches(BulkResult result) {
    return result.matched() > BulkRequest.MAX_AFFECTED
        ? "more than " + BulkRequest.MAX_AFFECTED
        : Integer.toString(result.matched());
  }
}
