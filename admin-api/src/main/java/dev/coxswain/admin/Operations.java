// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.queue.Phase;
import dev.coxswain.time.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Acts on many items at once; one such operation per controller at a time. Event-loop confined. */
final class Operations {

  /** Items that become due are spread over 30 s per thousand unless told otherwise. */
  private static final Duration SPREAD_PER_ITEM = Duration.ofMillis(30);

  private static final Duration MAX_SPREAD = Duration.ofHours(1);

  private final Controllers controllers;
  private final Calls calls;
  private final String replica;
  private final Clock clock;
  private final Set<ControllerHandle> active = Collections.newSetFromMap(new IdentityHashMap<>());
  private long lastId;

  Operations(Controllers controllers, Calls calls, String replica, Clock clock) {
    this.controllers = controllers;
    this.calls = calls;
    this.replica = replica;
    this.clock = clock;
  }

  Future<Reply> create(Exchange exchange) {
    exchange.audit().action("operation");
    exchange.query().done();
    ControllerHandle handle = controllers.running(exchange);
    OperationOrder order = OperationOrder.read(exchange.body());
    exchange.audit().action("bulk-" + order.label());
    exchange.audit().reason(order.reason());
    BulkRequest request = order.request();
    if (request.dryRun()) {
      return calls
          .ask(handle, h -> h.bulk(request))
          .map(result -> Reply.ok(preview(handle, order, result)));
    }
    if (!active.add(handle)) {
      throw Problem.of(
              409,
              "operation-running",
              "Operation running",
              "another operation on \"" + handle.name() + "\" has not ended yet")
          .rejection();
    }
    Instant startedAt = clock.instant();
    Future<BulkResult> run;
    try {
      run = order.needsSpread() ? spreadOut(handle, request) : ask(handle, request);
    } catch (RuntimeException e) {
      active.remove(handle);
      throw e;
    }
    return run.onComplete(done -> active.remove(handle))
        .map(result -> Reply.ok(finished(handle, order, result, startedAt)));
  }

  private Future<BulkResult> ask(ControllerHandle handle, BulkRequest request) {
    return calls.ask(handle, h -> h.bulk(request));
  }

  /** Counts first, since how far to spread depends on how many there are; then takes just those. */
  private Future<BulkResult> spreadOut(ControllerHandle handle, BulkRequest request) {
    return ask(handle, OperationOrder.dryRun(request))
        .compose(count -> {
          Duration spread = SPREAD_PER_ITEM.multipliedBy(count.matched());
          long seq = Math.min(request.filter().maxSeq(), count.asOfSeq());
          return ask(
              handle,
              new BulkRequest(
                  request.action(),
                  request.filter().upTo(seq),
                  false,
                  request.maxAffected(),
                  request.keepFailures(),
                  request.dropDirty(),
                  request.then(),
                  request.delay(),
                  spread.compareTo(MAX_SPREAD) > 0 ? MAX_SPREAD : spread));
        });
  }

  private ObjectNode preview(ControllerHandle handle, OperationOrder order, BulkResult result) {
    ObjectNode json = Json.object();
    json.put("kind", "OperationPreview");
    json.put("controller", handle.name());
    json.put("action", order.label());
    json.put("dryRun", true);
    json.put("result", "preview");
    counts(json, order, result);
    json.putObject("byMember").put(replica, result.matched());
    var warnings = json.putArray("warnings");
    if (exceeds(order, result)) {
      warnings.add(
          matches(result)
              + " items match and maxAffected is "
              + order.request().maxAffected()
              + ": the operation would be refused");
    }
    if (order.request().action() == Action.FLUSH && order.request().then() == Then.NONE) {
      warnings.add("flushed items are reconciled again only when their object changes");
    }
    return json;
  }

  private ObjectNode finished(
      ControllerHandle handle, OperationOrder order, BulkResult result, Instant startedAt) {
    if (result.aborted()) {
      throw Problem.of(
              409,
              "too-many-affected",
              "Too many items",
              matches(result)
                  + " items match and maxAffected is "
                  + order.request().maxAffected()
                  + "; nothing was changed")
          .withCurrent(Json.object().put("matched", result.matched()))
          .rejection();
    }
    ObjectNode json = Json.object();
    json.put("kind", "Operation");
    json.put("id", "op-" + ++lastId);
    json.put("controller", handle.name());
    json.put("action", order.label());
    json.put("state", "Succeeded");
    json.put("reason", order.reason());
    json.put("changed", result.changed());
    counts(json, order, result);
    json.putArray("members")
        .addObject()
        .put("id", replica)
        .put("state", "Succeeded")
        .put("changed", result.changed());
    Json.putTime(json, "startedAt", startedAt);
    Json.putTime(json, "finishedAt", clock.instant());
    return json;
  }

  private static void counts(ObjectNode json, OperationOrder order, BulkResult result) {
    json.put("matched", result.matched());
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
    var skipped = json.putArray("skipped");
    largestFirst(result.skipped())
        .forEach(e ->
            skipped.addObject().put("cause", Json.clean(e.getKey())).put("count", e.getValue()));
    if (order.request().then() != Then.NONE) {
      json.put(order.request().dryRun() ? "willRelist" : "relisted", result.relisted());
      json.put("notRelisted", result.notRelisted());
    }
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
  private static String matches(BulkResult result) {
    return result.matched() > BulkRequest.MAX_AFFECTED
        ? "more than " + BulkRequest.MAX_AFFECTED
        : Integer.toString(result.matched());
  }

  private static boolean exceeds(OperationOrder order, BulkResult result) {
    return result.aborted() || result.matched() > order.request().maxAffected();
  }
}
