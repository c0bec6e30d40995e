// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The meters of limiters.
 *
 * <p>Thread rule: any thread.
 */
public final class LimiterMetrics {

  private final MeterRegistry registry;

  LimiterMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Creates the meters of a limiter; those of a shared one have more in {@link #shared}. */
  public void local(RetryBudget budget) {
    String name = budget.name();
    gauge(Meters.TOKENS, () -> budget.snapshot().tokens(), name);
    gauge(Meters.CAPACITY, () -> budget.snapshot().burst(), name);
    gauge(Meters.REFILL_RATE, () -> budget.snapshot().rate(), name);
    if (budget instanceof LocalRetryBudget) {
      gauge(Meters.WAITERS, () -> budget.snapshot().waiting(), name);
    }
    Meters.ACQUIRED.counter(registry, budget, of -> of.snapshot().granted(), name, "granted");
    Meters.ACQUIRED.counter(registry, budget, of -> of.snapshot().denied(), name, "denied");
  }

  /**
   * Creates the meters of the shared limiter.
   *
   * @param limiters the state of the shared limiter; its limiters never change
   */
  public void shared(Supplier<LimiterStatus> limiters) {
    gauge(Meters.MEMBERS, () -> limiters.get().members());
    gauge(Meters.MAJORITY, () -> limiters.get().majority());
    for (LimiterStatus.Limiter limiter : limiters.get().limiters()) {
      String name = limiter.name();
      gauge(Meters.POOL_OWNER, () -> limiters.get().owned().contains(name) ? 1 : 0, name);
      gauge(Meters.POOL_BACKUP, () -> limiters.get().backedUp().contains(name) ? 1 : 0, name);
      // The snapshot of a shared budget has the waiters of all replicas.
      shared(Meters.WAITERS, limiters, name, LimiterStatus.Limiter::waiting);
      shared(Meters.DEGRADED, limiters, name, of -> of.degraded() == null ? 0 : 1);
      shared(Meters.WORST_WINDOW, limiters, name, of -> of.worst().largestCertain());
      shared(Meters.GRANTED, limiters, name, LimiterStatus.Limiter::grantedByPool, "pool");
      shared(Meters.GRANTED, limiters, name, LimiterStatus.Limiter::grantedByFloor, "floor");
      shared(Meters.EXPIRED_PERMITS, limiters, name, LimiterStatus.Limiter::expired);
      shared(Meters.LATE_PERMITS, limiters, name, LimiterStatus.Limiter::late);
      shared(Meters.POOL_FAILURES, limiters, name, LimiterStatus.Limiter::failed);
    }
  }

  private void shared(
      Meters meter,
      Supplier<LimiterStatus> limiters,
      String name,
      ToDoubleFunction<LimiterStatus.Limiter> value,
      String... more) {
    ToDoubleFunction<Supplier<LimiterStatus>> read =
        from ->
            from.get().limiters().stream()
                .filter(one -> one.name().equals(name))
                .mapToDouble(value)
                .findFirst()
                .orElse(0);
    String[] labels = Stream.concat(Stream.of(name), Stream.of(more)).toArray(String[]::new);
    if (meter.kind() == Meters.Kind.COUNTER) {
      // Its state is held weakly; the gauges beside it hold the same one.
      meter.counter(registry, limiters, read, labels);
    } else {
      gauge(meter, () -> read.applyAsDouble(limiters), labels);
    }
  }

  private void gauge(Meters meter, Supplier<Number> value, String... labels) {
    meter.gauge(registry, value, labels);
  }
}
