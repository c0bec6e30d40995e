// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.metrics;

import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The telemetry of one controller. All meters are looked up once, here; an event costs an array
 * access and an addition.
 */
final class MicrometerTelemetry implements ControllerTelemetry {

  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final Phase[] PHASES =
      Arrays.stream(Phase.values()).filter(Phase::queued).toArray(Phase[]::new);

  private final Counter[] results = new Counter[OUTCOMES.length];
  private final Counter[] merged = new Counter[Phase.values().length];
  private final Counter errors;
  private final Counter terminal;
  private final Counter panics;
  private final Counter timeouts;
  private final Counter adds;
  private final Counter retries;
  private final Counter rejected;
  private final Counter requeueAfterIgnored;
  private final Counter userCode;
  private final Timer reconcileTime;
  private final Timer queueDuration;
  private final Timer workDuration;
  private final Timer wakeupLag;
  private final Timer tokenWait;

  MicrometerTelemetry(MeterRegistry registry, String controller) {
    for (Outcome outcome : OUTCOMES) {
      results[outcome.ordinal()] =
          counter(registry, Meters.RECONCILE_TOTAL, controller, outcome.label());
    }
    for (Phase phase : PHASES) {
      merged[phase.ordinal()] = counter(registry, Meters.MERGED, controller, phase.label());
    }
    errors = counter(registry, Meters.RECONCILE_ERRORS, controller);
    terminal = counter(registry, Meters.TERMINAL_ERRORS, controller);
    panics = counter(registry, Meters.RECONCILE_PANICS, controller);
    timeouts = counter(registry, Meters.RECONCILE_TIMEOUTS, controller);
    adds = counter(registry, Meters.QUEUE_ADDS, controller, controller);
    retries = counter(registry, Meters.QUEUE_RETRIES, controller, controller);
    rejected = counter(registry, Meters.REJECTED, controller);
    requeueAfterIgnored = counter(registry, Meters.REQUEUE_AFTER_IGNORED, controller);
    userCode = counter(registry, Meters.USER_CODE_ERRORS, controller);
    reconcileTime = timer(registry, Meters.RECONCILE_TIME, Buckets.reconcile(), controller);
    Duration[] wide = Buckets.workqueue();
    queueDuration = timer(registry, Meters.QUEUE_DURATION, wide, controller, controller);
    workDuration = timer(registry, Meters.WORK_DURATION, wide, controller, controller);
    wakeupLag = timer(registry, Meters.WAKEUP_LAG, wide, controller);
    tokenWait = timer(registry, Meters.TOKEN_WAIT, wide, controller);
  }

  private static Counter counter(MeterRegistry registry, Meters meter, String... values) {
    return Counter.builder(meter.id())
        .tags(Labels.of(meter, values))
        .description(meter.help())
        .register(registry);
  }

  private static Timer timer(
      MeterRegistry registry, Meters meter, Duration[] buckets, String... values) {
    return Timer.builder(meter.id())
        .tags(Labels.of(meter, values))
        .description(meter.help())
        .serviceLevelObjectives(buckets)
        .register(registry);
  }

  @Override
  public void added(int priority) {
    adds.increment();
  }

  @Override
  public void merged(Phase phase) {
    merged[phase.ordinal()].increment();
  }

  @Override
  public void delayed() {
    retries.increment();
  }

  @Override
  public void started(long readyNanos) {
    queueDuration.record(readyNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void tokenGranted(long waitedNanos) {
    tokenWait.record(waitedNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void finished(Outcome outcome, long nanos) {
    results[outcome.ordinal()].increment();
    if (outcome == Outcome.ERROR) {
      errors.increment();
    }
    reconcileTime.record(nanos, TimeUnit.NANOSECONDS);
    workDuration.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void terminal() {
    terminal.increment();
  }

  @Override
  public void panicked() {
    panics.increment();
  }

  @Override
  public void timedOut() {
    timeouts.increment();
  }

  @Override
  public void requeueAfterIgnored() {
    requeueAfterIgnored.increment();
  }

  @Override
  public void userCodeFailed() {
    userCode.increment();
  }

  @Override
  public void wokeUp(long lateNanos) {
    wakeupLag.record(lateNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void rejected() {
    rejected.increment();
  }
}
