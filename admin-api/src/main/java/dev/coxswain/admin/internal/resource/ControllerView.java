// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.Composition;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import java.util.List;

/** The JSON of controllers and limiters. */
public final class ControllerView {

  private static final int MAX_REASON = 512;

  private ControllerView() {}

  static ObjectNode controller(ControllerHandle handle, String replica) {
    ControllerStatus status = handle.status();
    QueueSnapshot queue = handle.snapshot();
    ObjectNode json = Json.object();
    json.put("kind", "Controller");
    json.put("name", handle.name());
    json.put("replica", replica);
    json.put("state", status.state().label());
    if (status.state() == ControllerStatus.State.NOT_SYNCED) {
      status.conditions().stream()
          .filter(condition -> condition.type() == ConditionType.SYNC_TIMED_OUT)
          .forEach(
              condition -> json.put("error", Json.line(condition.message(), Json.MAX_ERROR_TEXT)));
    }
    json.put("ownership", ownership(handle.options()));
    json.put("paused", status.pause() != null);
    ControllerStatus.Pause pause = status.pause();
    if (pause != null) {
      ObjectNode shown = json.putObject("pause");
      shown.put("reason", Json.line(pause.reason(), MAX_REASON));
      Json.putTime(shown, "since", pause.since());
      Json.putTime(shown, "until", pause.until());
    }
    ObjectNode counts = json.putObject("counts");
    for (Phase phase : Phase.values()) {
      counts.put(phase.label(), queue.in(phase));
    }
    json.put("total", queue.total());
    json.put("failing", queue.failing());
    json.put("terminalEvicted", queue.terminalEvicted());
    json.put("dirty", queue.dirty());
    json.put("overdue", queue.overdue());
    json.put("maxConcurrent", status.concurrency());
    json.put("activeWorkers", status.activeWorkers());
    Json.putSeconds(json, "oldestReadySeconds", queue.oldestReadyNanos());
    Json.putSeconds(json, "longestInFlightSeconds", queue.longestInFlightNanos());
    Json.putTime(json, "nextReadyAt", queue.nextDueAt());
    json.putObject("totals")
        .put("added", queue.added())
        .put("merged", queue.merged())
        .put("retried", queue.retried());
    var sources = json.putArray("sources");
    status
        .sources()
        .forEach(source -> {
          ObjectNode one =
              sources
                  .addObject()
                  .put("description", Json.clean(source.description()))
                  .put("synced", source.synced());
          if (source.addedAs() != null) {
            one.put("addedAs", Json.line(source.addedAs(), SourceRegistry.MAX_NAME_LENGTH));
          }
          if (source.problem() != null) {
            one.put("problem", Json.clean(source.problem()));
          }
        });
    json.set("conditions", conditions(status.conditions(), replica));
    json.set("options", options(handle.options()));
    json.put("asOfSeq", queue.lastSeq());
    Json.putTime(json, "startedAt", status.startedAt());
    Json.putTime(json, "asOf", queue.asOf());
    return json;
  }

  /** Returns the conditions of a controller; each has its replica, so that lists can be merged. */
  public static ArrayNode conditions(List<Condition> conditions, String replica) {
    ArrayNode json = Json.object().arrayNode();
    for (Condition condition : conditions) {
      ObjectNode one = json.addObject().put("type", condition.type().label());
      Json.putTime(one, "since", condition.since());
      one.put("message", Json.line(condition.message(), Json.MAX_ERROR_TEXT));
      one.put("replica", replica);
    }
    return json;
  }

  private static ObjectNode options(ControllerOptions options) {
    ObjectNode json = Json.object();
    json.put("limiter", Json.clean(options.budget()));
    json.put("composition", composition(options.composition()));
    json.put("ownership", ownership(options));
    json.put("fairFlows", options.fairFlows());
    json.put("reconcileTimeout", Durations.format(options.reconcileTimeout()));
    json.put("failureCooldown", Durations.format(options.failureCooldown()));
    json.put("agingStep", Durations.format(options.agingStep()));
    json.put("syncTimeout", Durations.format(options.syncTimeout()));
    json.put("threads", threads(options));
    return json;
  }

  private static String threads(ControllerOptions options) {
    return switch (options.threads()) {
      case VIRTUAL -> "virtual";
      case PLATFORM -> "platform";
    };
  }

  /** Returns the ownership of a controller. */
  public static String ownership(ControllerOptions options) {
    return switch (options.ownership()) {
      case LEADER -> "leader";
      case SHARDED -> "sharded";
      case EVERYWHERE -> "everywhere";
    };
  }

  private static String composition(Composition composition) {
    return switch (composition) {
      case ADMISSION -> "admission";
      case MAX_OF -> "maxOf";
      case BACKOFF_ONLY -> "backoffOnly";
    };
  }

  static ObjectNode failed(FailedController controller, String replica) {
    ObjectNode json = Json.object();
    json.put("kind", "Controller");
    json.put("name", Json.clean(controller.name()));
    json.put("replica", replica);
    json.put("state", "failed");
    json.put("error", Json.line(controller.error(), Json.MAX_ERROR_TEXT));
    json.put("attempts", controller.attempts());
    Json.putTime(json, "failedAt", controller.failedAt());
    Json.putTime(json, "nextAttemptAt", controller.nextAttemptAt());
    return json;
  }

  /** Returns a controller whose state could not be read. */
  static ObjectNode unreadable(String name, String replica) {
    return Json.object()
        .put("kind", "Controller")
        .put("name", name)
        .put("replica", replica)
        .put("state", "unknown")
        .put("error", "its state could not be read; the log of the host has the cause");
  }

  public static ObjectNode limiter(BudgetSnapshot limiter) {
    ObjectNode json = Json.object();
    json.put("kind", "Limiter");
    json.put("name", Json.clean(limiter.name()));
    json.put("mode", limiter.kind());
    json.put("source", limiter.overrideUntil() == null ? "config" : "override");
    Json.putTime(json, "expiresAt", limiter.overrideUntil());
    json.put("capacity", limiter.burst());
    Json.putFinite(json, "refillPerSecond", limiter.rate());
    Json.putFinite(json, "tokens", limiter.tokens());
    json.put("waiters", limiter.waiting());
    json.put("granted", limiter.granted());
    json.put("denied", limiter.denied());
    json.put("degraded", limiter.degraded() != null);
    if (limiter.degraded() != null) {
      json.put("degradedReason", Json.line(limiter.degraded(), MAX_REASON));
    }
    BudgetSnapshot.Floor floor = limiter.floor();
    if (floor != null) {
      ObjectNode shown = json.putObject("floor").put("capacity", floor.burst());
      Json.putFinite(shown, "refillPerSecond", floor.rate());
      Json.putFinite(shown, "tokens", floor.tokens());
      shown.put("granted", floor.granted());
    }
    var replicas = json.putArray("replicas");
    limiter
        .replicas()
        .forEach(replica ->
            replicas
                .addObject()
                .put("name", Json.clean(replica.name()))
                .put("waiters", replica.waiting())
                .put("granted", replica.granted()));
    var consumers = json.putArray("consumers");
    limiter.consumers().forEach(consumer -> consumers.add(Json.clean(consumer)));
    return json;
  }
}
