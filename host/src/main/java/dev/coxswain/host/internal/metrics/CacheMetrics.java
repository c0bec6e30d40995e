// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.spi.Clock;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The meters of informers, read at each scrape. Informers come and go with their users, and so do
 * their series. Informers of the same name (the same selection in classes of two plug-ins) are one
 * series.
 *
 * <p>Thread rule: any thread.
 */
final class CacheMetrics implements MultiCollector {

  private static final double MILLIS_PER_SECOND = 1_000;

  private final Supplier<List<CacheStatus>> caches;
  private final Clock clock;

  CacheMetrics(Supplier<List<CacheStatus>> caches, Clock clock) {
    this.caches = caches;
    this.clock = clock;
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, List<CacheStatus>> byName = new LinkedHashMap<>();
    for (CacheStatus cache : caches.get()) {
      byName.merge(
          cache.name(),
          List.of(cache),
          (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
    }
    return MetricSnapshots.builder()
        .metricSnapshot(sum(Meters.CACHE_OBJECTS, byName, CacheStatus::objects))
        .metricSnapshot(sum(Meters.CACHE_BYTES, byName, CacheStatus::bytes))
        .metricSnapshot(
            gauge(
                Meters.CACHE_SYNCED,
                byName,
                all -> all.stream().allMatch(CacheStatus::synced) ? 1 : 0))
        .metricSnapshot(
            gauge(
                Meters.CACHE_AGE,
                byName,
                all -> all.stream().mapToDouble(this::age).max().orElse(0)))
        .metricSnapshot(count(Meters.CACHE_LISTS, byName, CacheStatus::lists))
        .metricSnapshot(count(Meters.CACHE_WATCHES, byName, CacheStatus::watches))
        .metricSnapshot(count(Meters.CACHE_EVENTS, byName, cache -> cache.watched().events()))
        .metricSnapshot(
            count(Meters.CACHE_EVENTS_DROPPED, byName, cache -> cache.watched().dropped()))
        .metricSnapshot(count(Meters.CACHE_EVENT_BYTES, byName, cache -> cache.watched().bytes()))
        .metricSnapshot(
            count(
                Meters.CACHE_EVENT_BYTES_DROPPED, byName, cache -> cache.watched().droppedBytes()))
        .metricSnapshot(count(Meters.CACHE_LISTED, byName, cache -> cache.watched().listed()))
        .metricSnapshot(
            count(Meters.CACHE_LISTED_BYTES, byName, cache -> cache.watched().listedBytes()))
        .metricSnapshot(sum(Meters.CACHE_WATCH_RANGES, byName, cache -> cache.watched().ranges()))
        .metricSnapshot(
            gauge(
                Meters.CACHE_WATCH_SELECTED,
                byName,
                all -> all.stream().allMatch(CacheMetrics::isSelected) ? 1 : 0))
        .metricSnapshot(count(Meters.CACHE_UNDECODABLE, byName, CacheStatus::undecodable))
        .metricSnapshot(count(Meters.CACHE_INDEX_FAILURES, byName, CacheStatus::indexFailures))
        .build();
  }

  /**
   * Returns the seconds since the last message of the server, or since the start of the informer.
   */
  private double age(CacheStatus cache) {
    return Duration.between(cache.lastContact(), clock.instant()).toMillis() / MILLIS_PER_SECOND;
  }

  private static boolean isSelected(CacheStatus cache) {
    return cache.watched().selection() == CacheStatus.Selection.SERVER;
  }

  private static GaugeSnapshot sum(
      Meters meter, Map<String, List<CacheStatus>> caches, ToDoubleFunction<CacheStatus> value) {
    return gauge(meter, caches, all -> all.stream().mapToDouble(value).sum());
  }

  private static GaugeSnapshot gauge(
      Meters meter,
      Map<String, List<CacheStatus>> caches,
      ToDoubleFunction<List<CacheStatus>> value) {
    GaugeSnapshot.Builder rows = GaugeSnapshot.builder().name(meter.id()).help(meter.help());
    caches.forEach((name, all) ->
        rows.dataPoint(
            GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .labels(label(meter, name))
                .value(value.applyAsDouble(all))
                .build()));
    return rows.build();
  }

  private static CounterSnapshot count(
      Meters meter, Map<String, List<CacheStatus>> caches, ToDoubleFunction<CacheStatus> value) {
    CounterSnapshot.Builder rows =
        CounterSnapshot.builder()
            // The format adds "_total".
            .name(PrometheusNaming.sanitizeMetricName(meter.id()))
            .help(meter.help());
    caches.forEach((name, all) ->
        rows.dataPoint(
            CounterSnapshot.CounterDataPointSnapshot.builder()
                .labels(label(meter, name))
                .value(all.stream().mapToDouble(value).sum())
                .build()));
    return rows.build();
  }

  private static Labels label(Meters meter, String cache) {
    return Labels.of(meter.labels().getFirst(), cache);
  }
}
