// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.model.LimiterResourceBuilder;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values of controllers and limiters. */
public final class ControllerView {

  private static final int MAX_REASON = 512;

  private ControllerView() {}

  static ControllerResource controller(
      ControllerHandle handle, String replica, ControllerResource.@Nullable Throughput throughput) {
    ControllerStatus status = handle.status();
    QueueSnapshot queue = handle.snapshot();
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      counts.put(phase.label(), (long) queue.in(phase));
    }
    Map<String, Long> totals = new LinkedHashMap<>();
    totals.put("added", queue.added());
    totals.put("merged", queue.merged());
    totals.put("retried", queue.retried());
    return ControllerResource.named(handle.name(), replica, status.state().label())
        .error(error(status))
        .ownership(ownership(handle.options()))
        .paused(status.pause() != null)
        .pause(pause(status.pause()))
        .pausedCauses(pausedCauses(status))
        .counts(counts)
        .total((long) queue.total())
        .failing((long) queue.failing())
        .terminalEvicted(queue.terminalEvicted())
        .dirty((long) queue.dirty())
        .overdue((long) queue.overdue())
        .maxConcurrent(status.concurrency())
        .activeWorkers((long) status.activeWorkers())
        .oldestReadySeconds(queue.oldestReadyNanos() / 1e9)
        .longestInFlightSeconds(queue.longestInFlightNanos() / 1e9)
        .nextReadyAt(queue.nextDueAt())
        .totals(totals)
        .sources(status.sources().stream().map(ControllerView::source).toList())
        .watchNamespaces(watchNamespaces(handle))
        .conditions(conditions(status.conditions(), replica))
        .options(options(handle.options()))
        .asOfSeq(queue.lastSeq())
        .startedAt(status.startedAt())
        .asOf(queue.asOf())
        .throughput(throughput)
        .build();
  }

  private static @Nullable List<String> watchNamespaces(ControllerHandle handle) {
    Set<String> names = handle.watchNamespaces();
    return names.isEmpty() ? null : names.stream().sorted().toList();
  }

  private static @Nullable String error(ControllerStatus status) {
    return status.state() != ControllerStatus.State.NOT_SYNCED
        ? null
        : status.conditions().stream()
            .filter(condition -> condition.type() == ConditionType.SYNC_TIMED_OUT)
            .map(condition -> Json.line(condition.message(), Json.MAX_ERROR_TEXT))
            .reduce((earlier, last) -> last)
            .orElse(null);
  }

  private static ControllerResource.@Nullable Pause pause(ControllerStatus.@Nullable Pause pause) {
    return pause == null
        ? null
        : new ControllerResource.Pause(
            Json.line(pause.reason(), MAX_REASON), pause.since(), pause.until());
  }

  private static @Nullable List<ControllerResource.PausedCause> pausedCauses(
      ControllerStatus status) {
    if (status.pausedCauses().isEmpty()) {
      return null;
    }
    List<ControllerResource.PausedCause> all = new ArrayList<>();
    status
        .pausedCauses()
        .forEach((cause, pause) ->
            all.add(
                new ControllerResource.PausedCause(
                    cause.id(),
                    Json.line(cause.text(), Json.MAX_ERROR_TEXT),
                    Json.line(pause.reason(), MAX_REASON),
                    pause.by(),
                    pause.since(),
                    pause.until())));
    all.sort(Comparator.comparing(ControllerResource.PausedCause::cause));
    return all;
  }

  private static ControllerResource.Source source(ControllerStatus.SourceStatus source) {
    String added = source.addedAs();
    return new ControllerResource.Source(
        source.description(),
        source.synced(),
        added == null ? null : Json.line(added, SourceRegistry.MAX_NAME_LENGTH),
        source.problem());
  }

  /** Returns the conditions of a controller; each has its replica, so that lists can be merged. */
  public static List<ControllerResource.Condition> conditions(
      List<Condition> conditions, String replica) {
    return conditions.stream()
        .map(condition ->
            new ControllerResource.Condition(
                condition.type().label(),
                condition.since(),
                Json.line(condition.message(), Json.MAX_ERROR_TEXT),
                replica))
        .toList();
  }

  private static ControllerResource.Settings options(ControllerOptions options) {
    return new ControllerResource.Settings(
        options.budget(),
        composition(options.composition()),
        ownership(options),
        options.fairFlows(),
        Durations.format(options.reconcileTimeout()),
        Durations.format(options.failureCooldown()),
        Durations.format(options.agingStep()),
        Durations.format(options.syncTimeout()),
        threads(options));
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

  static ControllerResource failed(FailedController controller, String replica) {
    return ControllerResource.named(controller.name(), replica, "failed")
        .error(Json.line(controller.error(), Json.MAX_ERROR_TEXT))
        .attempts(controller.attempts())
        .failedAt(controller.failedAt())
        .nextAttemptAt(controller.nextAttemptAt())
        .build();
  }

  /** Returns a controller whose state could not be read. */
  static ControllerResource unreadable(String name, String replica) {
    return ControllerResource.named(name, replica, "unknown")
        .error("its state could not be read; the log of the host has the cause")
        .build();
  }

  /** Returns a controller that does not run on this replica. */
  static ControllerResource idle(IdleController idle, String replica) {
    return ControllerResource.named(idle.name(), replica, idle.phase().label())
        .since(idle.since())
        .lastOwner(idle.lastOwner())
        .owned(idle.owned())
        .build();
  }

  public static LimiterResource limiter(BudgetSnapshot limiter) {
    String degraded = limiter.degraded();
    BudgetSnapshot.Floor floor = limiter.floor();
    return LimiterResourceBuilder.builder()
        .kind(LimiterResource.KIND)
        .name(limiter.name())
        .mode(limiter.kind())
        .source(limiter.overrideUntil() == null ? "config" : "override")
        .expiresAt(limiter.overrideUntil())
        .capacity(limiter.burst())
        .refillPerSecond(finite(limiter.rate()))
        .tokens(finite(limiter.tokens()))
        .waiters(limiter.waiting())
        .granted(limiter.granted())
        .denied(limiter.denied())
        .degraded(degraded != null)
        .degradedReason(degraded == null ? null : Json.line(degraded, MAX_REASON))
        .floor(
            floor == null
                ? null
                : new LimiterResource.Floor(
                    floor.burst(), finite(floor.rate()), finite(floor.tokens()), floor.granted()))
        .replicas(
            limiter.replicas().stream()
                .map(one ->
                    new LimiterResource.Share(
                        one.name(), (long) one.waiting(), one.granted(), null, null, null))
                .toList())
        .consumers(List.copyOf(limiter.consumers()))
        .build();
  }

  /** Returns a number; null for infinity and NaN, which JSON does not have. */
  static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
