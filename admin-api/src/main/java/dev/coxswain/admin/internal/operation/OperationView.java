// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.model.OperationResourceBuilder;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The values of operations and their previews. */
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

  private OperationView() {}

  static OperationResource operation(Operation operation, String replica) {
    OperationRecord record = operation.record();
    BulkResult result = operation.result();
    BulkProgress counts = operation.counts();
    String state = operation.state().label();
    int matched = operation.matched();
    boolean relists = record.request().bulk().then() != Then.NONE;
    Operation.Stop stop = operation.stopped();
    OperationResourceBuilder shown =
        head(record, state)
            .detail(operation.detail())
            .matched(matched)
            .done(counts.done())
            .applied(counts.changed())
            .skipped(counts.done() - counts.changed() - counts.failed())
            .moved(counts.moved())
            .failed(counts.failed())
            .remaining(Math.max(0, matched - counts.done()))
            .byResult(byResult(counts))
            .relisted(relists ? (long) counts.relisted() : null)
            .notRelisted(relists ? (long) counts.notRelisted() : null)
            .members(List.of(new OperationResource.Member(replica, state, counts.changed())))
            .stop(
                stop == null
                    ? null
                    : new OperationResource.Stop(stop.actor(), stop.reason(), stop.at()))
            .endedAt(operation.endedAt())
            .expectedEnd(operation.expectedEnd());
    if (result != null) {
      String failure = result.firstFailure();
      shown
          .firstFailure(failure == null ? null : Json.line(failure, Json.MAX_ERROR_TEXT))
          .byPhase(byPhase(result))
          .byNamespace(largestFirst(result.byNamespace()))
          .sample(result.sample())
          .asOfSeq(result.asOfSeq());
    }
    return shown.build();
  }

  /** Returns a remote operation, whose progress is not known. */
  static OperationResource remote(OperationRecord record) {
    return head(record, UNKNOWN).byResult(List.of()).members(List.of()).build();
  }

  /** Returns an operation, for events. */
  public static OperationResource event(Operation operation) {
    return operation(operation, "");
  }

  private static OperationResourceBuilder head(OperationRecord record, String state) {
    Map<String, String> refused = record.header().refused();
    return OperationResourceBuilder.builder()
        .kind(OperationResource.KIND)
        .id(record.id())
        .controller(record.controller())
        .request(request(record.request()))
        .state(state)
        .actor(record.actor())
        .reason(record.request().reason())
        .participants(record.header().participants())
        .refusals(refused.isEmpty() ? null : refused)
        .startedAt(record.startedAt());
  }

  private static List<OperationResource.Count> byResult(BulkProgress counts) {
    List<OperationResource.Count> results = new ArrayList<>();
    if (counts.changed() > 0) {
      results.add(new OperationResource.Count("applied", null, counts.changed()));
    }
    largestFirst(counts.skipped())
        .forEach(
            (cause, count) -> results.add(new OperationResource.Count("skipped", cause, count)));
    if (counts.failed() > 0) {
      results.add(new OperationResource.Count("failed", null, counts.failed()));
    }
    return results;
  }

  /** Returns the result of a dry run, without the token and its expiry. */
  static OperationPreviewBuilder preview(
      String controller, OperationRequest request, BulkResult result) {
    boolean relists = request.bulk().then() != Then.NONE;
    List<String> warnings = new ArrayList<>();
    if (result.matched() > request.bulk().maxAffected()) {
      warnings.add(
          matches(result.matched())
              + " items match and maxAffected is "
              + request.bulk().maxAffected()
              + ": the operation would be refused");
    }
    if (request.label().equals("flush") && !relists) {
      warnings.add("flushed items are reconciled again only when their object changes");
    }
    return OperationPreviewBuilder.builder()
        .kind("OperationPreview")
        .controller(controller)
        .request(request(request))
        .dryRun(true)
        .result("preview")
        .matched(result.matched())
        .willRelist(relists ? (long) result.relisted() : null)
        .notRelisted(relists ? (long) result.notRelisted() : null)
        .byPhase(byPhase(result))
        .byNamespace(largestFirst(result.byNamespace()))
        .sample(result.sample())
        .asOfSeq(result.asOfSeq())
        .warnings(warnings);
  }

  private static OperationResource.Request request(OperationRequest request) {
    BulkRequest bulk = request.bulk();
    boolean flush = request.label().equals("flush");
    return new OperationResource.Request(
        request.label(),
        selector(bulk.filter()),
        flush ? then(bulk) : null,
        flush ? bulk.keepFailures() : null,
        flush ? bulk.dropDirty() : null,
        bulk.action() == BulkRequest.Action.REQUEUE ? Durations.format(bulk.delay()) : null,
        bulk.itemsPerSecond(),
        bulk.maxAffected());
  }

  private static String then(BulkRequest bulk) {
    return switch (bulk.then()) {
      case NONE -> "none";
      case RELIST -> "relist";
      case REQUEUE_AFTER -> "requeueAfter=" + Durations.format(bulk.delay());
    };
  }

  /** Returns the selector of a request as one line of JSON, for the audit trail. */
  public static String selectorText(OperationRequest request) {
    OperationResource.Selector selector = selector(request.bulk().filter());
    return Json.text(selector);
  }

  private static OperationResource.Selector selector(ItemFilter filter) {
    Duration olderThan = filter.olderThan();
    return new OperationResource.Selector(
        filter.phases().isEmpty()
            ? null
            : filter.phases().stream().sorted().map(Phase::label).toList(),
        filter.failing(),
        filter.minFailures() > 0 ? filter.minFailures() : null,
        filter.namespace(),
        filter.nameGlob(),
        olderThan == null ? null : Durations.format(olderThan),
        filter.readyBefore(),
        filter.errorClass(),
        filter.cause(),
        filter.labelSelector());
  }

  private static Map<String, Long> byPhase(BulkResult result) {
    Map<String, Long> phases = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      Integer count = result.byPhase().get(phase);
      if (count != null) {
        phases.put(phase.label(), count.longValue());
      }
    }
    return phases;
  }

  private static Map<String, Long> largestFirst(Map<String, Integer> counts) {
    Map<String, Long> ordered = new LinkedHashMap<>();
    counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(count -> ordered.put(count.getKey(), count.getValue().longValue()));
    return ordered;
  }

  /** Returns a count for messages. Counting stops at the limit of all operations. */
  static String matches(int matched) {
    return matched > BulkRequest.MAX_AFFECTED
        ? "more than " + BulkRequest.MAX_AFFECTED
        : Integer.toString(matched);
  }
}
