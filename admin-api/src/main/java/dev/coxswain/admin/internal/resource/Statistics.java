// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.StatisticsResource;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleFunction;
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
  private final Series all = new Series(0);

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
    List<Series> sampled = new ArrayList<>();
    for (ControllerHandle handle : directory.snapshot().running()) {
      try {
        sample(handle, waiters).ifPresent(sampled::add);
      } catch (RuntimeException e) {
        // The chart has a gap; the list of controllers reports the failure.
        log.atDebug()
            .addKeyValue("controller", handle.name())
            .setCause(e)
            .log("controller could not be sampled");
      }
    }
    if (all.last() != slot) {
      all.addSum(slot, sampled, waiters.values().stream().mapToInt(Integer::intValue).sum());
    }
    byName.values().removeIf(series -> series.last() <= slot - Series.SLOTS);
    sampledAt = clock.instant();
    sampledNanos = clock.nanos();
  }

  /** Returns the series if it has a sample more. */
  private Optional<Series> sample(ControllerHandle handle, Map<String, Integer> waiters) {
    ControllerStatus status = handle.status();
    if (status.state() == ControllerStatus.State.STOPPED) {
      return Optional.empty();
    }
    Series series = byName.get(handle.name());
    if (series == null) {
      if (byName.size() >= MAX_CONTROLLERS) {
        return Optional.empty();
      }
      series = new Series(slot);
      byName.put(handle.name(), series);
    } else if (series.last() == slot) {
      return Optional.empty(); // of two samples in one step, the first is kept
    }
    series.add(
        slot,
        handle.snapshot(),
        waiters.getOrDefault(handle.options().budget(), 0),
        status.ended(),
        status.startedAt(),
        status.startedAt().isAfter(sampledAt));
    return Optional.of(series);
  }

  /** Returns the completed attempts of a controller per second, over three windows. */
  ControllerResource.Throughput throughput(String controller) {
    Series series = byName.get(controller);
    return new ControllerResource.Throughput(
        ControllerView.finite(perSecond(series, 6)),
        ControllerView.finite(perSecond(series, 30)),
        ControllerView.finite(perSecond(series, Series.SLOTS)));
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

  /** Which points a request selects. */
  private record Window(Duration window, Duration step) {
    static Window of(Query query) {
      Duration window = multiple(query, "window", WHOLE);
      Duration step = multiple(query, "step", Series.STEP);
      if (window.toMillis() % step.toMillis() != 0) {
        query.fault("step", "must divide the window, found " + Durations.format(step));
      }
      query.done();
      return new Window(window, step);
    }
  }

  /** Returns the series of one controller. */
  public Future<Response> get(RequestContext context) {
    Window points = Window.of(context.query());
    String name = context.param("c");
    if (!byName.containsKey(name) && !isKnown(name)) {
      throw Controllers.absent(directory, name);
    }
    return Future.succeededFuture(Response.ok(view(name, points.window(), points.step())));
  }

  /** Returns the sum of all controllers. */
  public Future<Response> getAll(RequestContext context) {
    Window points = Window.of(context.query());
    return Future.succeededFuture(Response.ok(viewAll(points.window(), points.step())));
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

  public StatisticsResource view(String name, Duration window, Duration step) {
    Series series = byName.getOrDefault(name, new Series(slot));
    return view("ControllerStats", name, series, limiterMode(name), window, step);
  }

  StatisticsResource viewAll(Duration window, Duration step) {
    // With limiters of both modes their waiters are added up.
    List<String> modes =
        directory.limiters().stream().map(BudgetSnapshot::kind).distinct().toList();
    Optional<String> mode = modes.size() == 1 ? Optional.of(modes.getFirst()) : Optional.empty();
    return view("ClusterStats", null, all, mode, window, step);
  }

  private StatisticsResource view(
      String kind,
      @Nullable String name,
      Series series,
      Optional<String> limiterMode,
      Duration window,
      Duration step) {
    int points = (int) (window.toMillis() / step.toMillis());
    int slots = (int) (step.toMillis() / Series.STEP.toMillis());
    Points shown = new Points(series, points, slots);
    Map<String, List<@Nullable Long>> depth = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      depth.put(phase.label(), shown.counts(Column.of(phase)));
    }
    Map<String, List<@Nullable Double>> throughput = new LinkedHashMap<>();
    throughput.put("success", shown.values(Column.SUCCESS, STEP_SECONDS));
    throughput.put("requeueAfter", shown.values(Column.REQUEUE_AFTER, STEP_SECONDS));
    throughput.put("requeue", shown.values(Column.REQUEUE, STEP_SECONDS));
    throughput.put("error", shown.values(Column.ERROR, STEP_SECONDS));
    return new StatisticsResource(
        kind,
        name,
        directory.replica(),
        Durations.format(window),
        Durations.format(step),
        points,
        sampledAt,
        (clock.nanos() - sampledNanos) / 1e9,
        depth,
        shown.counts(Column.FAILING),
        shown.values(Column.OLDEST_READY_MILLIS, 1000),
        shown.counts(Column.LIMITER_WAITERS),
        limiterMode.orElse(null),
        throughput,
        null,
        null);
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

    List<@Nullable Long> counts(Column column) {
      return all(column, value -> (long) value);
    }

    List<@Nullable Double> values(Column column, double divisor) {
      return all(column, value -> value / divisor);
    }

    private <T> List<@Nullable T> all(Column column, DoubleFunction<T> shown) {
      List<@Nullable T> all = new ArrayList<>(points);
      for (int i = points - 1; i >= 0; i--) {
        double value = series.value(column, slot - (long) i * slots, slots);
        all.add(Double.isNaN(value) ? null : shown.apply(value));
      }
      return all;
    }
  }
}
