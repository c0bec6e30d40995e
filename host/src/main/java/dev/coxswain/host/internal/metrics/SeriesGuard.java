// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limit on the series (combinations of label values) of each meter. Further series are refused,
 * counted, and logged once for each meter. It is a second line of defence: each label should have a
 * fixed set of values.
 *
 * <p>Thread rule: any thread.
 */
final class SeriesGuard implements MeterFilter {

  private static final Logger log = LoggerFactory.getLogger(SeriesGuard.class);

  /** A thousand controllers have four phases, or four results, each. */
  static final int MAX_SERIES = 5_000;

  private final Map<String, Count> meters = new ConcurrentHashMap<>();
  private final AtomicLong refused = new AtomicLong();

  private static final class Count {
    private final AtomicLong series = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
  }

  /** Guards a registry from now on; call it before the first meter is made. */
  static SeriesGuard of(MeterRegistry registry) {
    SeriesGuard guard = new SeriesGuard();
    registry
        .config()
        .meterFilter(guard)
        .onMeterAdded(meter -> guard.count(meter).series.incrementAndGet())
        .onMeterRemoved(meter -> guard.count(meter).series.decrementAndGet());
    return guard;
  }

  @Override
  public MeterFilterReply accept(Meter.Id id) {
    Count count = meters.get(id.getName());
    if (count == null || count.series.get() < MAX_SERIES) {
      return MeterFilterReply.NEUTRAL;
    }
    refused.incrementAndGet();
    if (count.refused.getAndIncrement() == 0) {
      log.atWarn()
          .addKeyValue("meter", id.getName())
          .addKeyValue("limit", MAX_SERIES)
          .log("meter has too many series, further ones are not counted");
    }
    return MeterFilterReply.DENY;
  }

  /** Returns how many requests for a further series were refused. */
  double refused() {
    return refused.get();
  }

  private Count count(Meter meter) {
    return meters.computeIfAbsent(meter.getId().getName(), name -> new Count());
  }
}
