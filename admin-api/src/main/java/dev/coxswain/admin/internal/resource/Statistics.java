// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.resource.Series.Column;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples every controller each ten seconds and keeps the last hour, so that charts need no other
 * system. Memory is bounded: 16 KiB for each of at most {@link #MAX_CONTROLLERS}. Confined to the
 * admin event loop.
 */
public final class Statistics {

  private static final Logger log = LoggerFactory.getLogger(Statistics.class);

  /** The limit of controllers with statistics. */
  static final int MAX_CONTROLLERS = 1000;

  private static final double STEP_SECONDS = Series.STEP.toMillis() / 1000.0;
  private static final Duration WHOLE = Series.STEP.multipliedBy(Series.SLOTS);

  private final ControllerDirectory directory;
  private final Clock clock;
  private final long origin;
  private final Map<String, Series> byName = new HashMap<>();
  private Instant sampledAt;
  private long sampledNanos;
  private long slot;

  public Statistics(ControllerDirectory directory, Clock clock) {
    this.directory = directory;
    this.clock = clock;
    this.origin = clock.nanos();
    this.sampledAt = clock.instant();
    this.sampledNanos = origin;
  }

  /** Takes a sample of every controller. */
  public void sample() {
    slot = (clock.nanos() - origin) / Series.STEP.toNanos();
    Map<String, Integer> waiters = new HashMap<>();
    for (BudgetSnapshot limiter : directory.limiters()) {
      waiters.put(limiter.name(), limiter.waiting());
    }
    for (ControllerHandle handle : directory.snapshot().running()) {
      try {
        sample(handle, waiters);
      } catch (RuntimeException e) {
        // The chart has a gap; the list of controllers reports the failure.
        log.atDebug()
            .addKeyValue("controller", handle.name())
            .setCause(e)
            .log("controller could not be sampled");
      }
    }
    byName.values().removeIf(series -> series.last() <= slot - Series.SLOTS);
    sampledAt = clock.instant();
    sampledNanos = clock.nanos();
  }

  private void sample(ControllerHandle handle, Map<String, Integer> waiters) {
    ControllerStatus status = handle.status();
    if (status.state() == ControllerStatus.State.STOPPED) {
      return;
    }
    Series series = byName.get(handle.name());
    if (series == null) {
      if (byName.size() >= MAX_CONTROLLERS) {
        return;
      }
      series = new Series(slot);
      byName.put(handle.name(), series);
    } else if (series.last() == slot) {
      return; // of two samples in one step, the first is kept
    }
    series.add(
        slot,
        handle.snapshot(),
        waiters.getOrDefault(handle.options().budget(), 0),
        status.ended(),
        status.startedAt(),
        status.startedAt().isAfter(sampledAt));
  }

  /** Returns the completed attempts of a controller per second, over three windows. */
  ObjectNode throughput(String controller) {
    Series series = byName.get(controller);
    ObjectNode json = Json.object();
    Json.putFinite(json, "1m", perSecond(series, 6));
    Json.putFinite(json, "5m", perSecond(series, 30));
    Json.putFinite(json, "1h", perSecond(series, Series.SLOTS));
    return json;
  }

  private double perSecond(@Nullable Series series, int slots) {
    if (series == null) {
      return Double.NaN;
    }
    double sum = 0;
    for (Column column : Column.values()) {
      if (column.isCount()) {
        sum += series.value(column, slot, slots);
      }
    }
    return sum / STEP_SECONDS;
  }

  public Future<Response> get(RequestContext context) {
    Query query = context.query();
    Duration window = multiple(query, "window", WHOLE);
    Duration step = multiple(query, "step", Series.STEP);
    if (window.toMillis() % step.toMillis() != 0) {
      query.fault("step", "must divide the window, found " + Durations.format(step));
    }
    query.done();
    String name = context.param("c");
    if (!byName.containsKey(name) && !isKnown(name)) {
      throw Controllers.absent(directory, name);
    }
    return Future.succeededFuture(Response.ok(view(name, window, step)));
  }

  private boolean isKnown(String name) {
    return directory.find(name).isPresent() || directory.snapshot().failed(name).isPresent();
  }

  private static Duration multiple(Query query, String name, Duration otherwise) {
    Duration value = query.duration(name);
    if (value == null) {
      return otherwise;
    }
    if (value.toMillis() % Series.STEP.toMillis() != 0 || value.compareTo(WHOLE) > 0) {
      query.fault(
          name,
          "must be a multiple of "
              + Durations.format(Series.STEP)
              + " and at most "
              + Durations.format(WHOLE)
              + ", found "
              + Durations.format(value));
      return otherwise;
    }
    return value;
  }

  public ObjectNode view(String name, Duration window, Duration step) {
    int points = (int) (window.toMillis() / step.toMillis());
    int slots = (int) (step.toMillis() / Series.STEP.toMillis());
    Points shown = new Points(byName.getOrDefault(name, new Series(slot)), points, slots);
    ObjectNode json = Json.object();
    json.put("kind", "ControllerStats");
    json.put("controller", name);
    json.put("replica", directory.replica());
    json.put("window", Durations.format(window));
    json.put("step", Durations.format(step));
    json.put("points", points);
    Json.putTime(json, "end", sampledAt);
    Json.putSeconds(json, "ageSeconds", clock.nanos() - sampledNanos);
    ObjectNode depth = json.putObject("depth");
    for (Phase phase : Phase.values()) {
      shown.put(depth, phase.label(), Column.of(phase), 1);
    }
    shown.put(json, "failing", Column.FAILING, 1);
    shown.put(json, "oldestReadySeconds", Column.OLDEST_READY_MILLIS, 1000);
    shown.put(json, "limiterWaiters", Column.LIMITER_WAITERS, 1);
    limiterMode(name).ifPresent(mode -> json.put("limiterMode", mode));
    ObjectNode throughput = json.putObject("throughput");
    shown.put(throughput, "success", Column.SUCCESS, STEP_SECONDS);
    shown.put(throughput, "requeueAfter", Column.REQUEUE_AFTER, STEP_SECONDS);
    shown.put(throughput, "requeue", Column.REQUEUE, STEP_SECONDS);
    shown.put(throughput, "error", Column.ERROR, STEP_SECONDS);
    return json;
  }

  /** Returns whether the replicas share the limiter of a controller. */
  private Optional<String> limiterMode(String controller) {
    return directory
        .find(controller)
        .map(handle -> handle.options().budget())
        .flatMap(limiter ->
            directory.limiters().stream()
                .filter(known -> known.name().equals(limiter))
                .map(BudgetSnapshot::kind)
                .findFirst());
  }

  /** The points of one response, the oldest first. */
  private final class Points {
    private final Series series;
    private final int points;
    private final int slots;

    Points(Series series, int points, int slots) {
      this.series = series;
      this.points = points;
      this.slots = slots;
    }

    void put(ObjectNode json, String field, Column column, double divisor) {
      ArrayNode array = json.putArray(field);
      for (int i = points - 1; i >= 0; i--) {
        double value = series.value(column, slot - (long) i * slots, slots);
        if (Double.isNaN(value)) {
          array.addNull();
        } else if (divisor == 1) {
          array.add((long) value);
        } else {
          array.add(value / divisor);
        }
      }
    }
  }
}
