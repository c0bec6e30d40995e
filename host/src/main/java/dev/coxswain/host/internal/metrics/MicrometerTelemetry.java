// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The telemetry of one controller. All meters are looked up once, here; an event costs an array
 * access and an addition.
 */
final class MicrometerTelemetry implements ControllerTelemetry {

  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final Phase[] PHASES =
      Arrays.stream(Phase.values()).filter(Phase::queued).toArray(Phase[]::new);

  /** The most causes that have a series of their own: labels of a metric must be few. */
  private static final int MAX_CAUSES = 20;

  private static final String OTHER_CAUSES = "other";

  private final Map<String, Counter> failures =
      new HashMap<>(); // on the event loop of the controller
  private final Function<String, Counter> ofCause;
  private final Counter[] results = new Counter[OUTCOMES.length];
  private final Counter[] merged = new Counter[Phase.values().length];
  private final Counter errors;
  private final Counter terminal;
  private final Counter panics;
  private final Counter lostOwnership;
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
    ofCause = cause -> Meters.FAILURES.counter(registry, controller, cause);
    failures.put(OTHER_CAUSES, ofCause.apply(OTHER_CAUSES));
    for (Outcome outcome : OUTCOMES) {
      results[outcome.ordinal()] =
          Meters.RECONCILE_TOTAL.counter(registry, controller, outcome.label());
    }
    for (Phase phase : PHASES) {
      merged[phase.ordinal()] = Meters.MERGED.counter(registry, controller, phase.label());
    }
    errors = Meters.RECONCILE_ERRORS.counter(registry, controller);
    terminal = Meters.TERMINAL_ERRORS.counter(registry, controller);
    lostOwnership = Meters.LOST_OWNERSHIP.counter(registry, controller);
    panics = Meters.RECONCILE_PANICS.counter(registry, controller);
    timeouts = Meters.RECONCILE_TIMEOUTS.counter(registry, controller);
    adds = Meters.QUEUE_ADDS.counter(registry, controller, controller);
    retries = Meters.QUEUE_RETRIES.counter(registry, controller, controller);
    rejected = Meters.REJECTED.counter(registry, controller);
    requeueAfterIgnored = Meters.REQUEUE_AFTER_IGNORED.counter(registry, controller);
    userCode = Meters.USER_CODE_ERRORS.counter(registry, controller);
    reconcileTime = Meters.RECONCILE_TIME.timer(registry, Buckets.reconcile(), controller);
    Duration[] wide = Buckets.workqueue();
    queueDuration = Meters.QUEUE_DURATION.timer(registry, wide, controller, controller);
    workDuration = Meters.WORK_DURATION.timer(registry, wide, controller, controller);
    wakeupLag = Meters.WAKEUP_LAG.timer(registry, wide, controller);
    tokenWait = Meters.TOKEN_WAIT.timer(registry, wide, controller);
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
  public void failed(String cause) {
    boolean own = failures.containsKey(cause) || failures.size() <= MAX_CAUSES;
    failures.computeIfAbsent(own ? cause : OTHER_CAUSES, ofCause).increment();
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
  public void lostOwnership() {
    lostOwnership.increment();
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
