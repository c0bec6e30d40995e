// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.spi.ControllerTelemetry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how the attempts of one controller ended; any thread. */
final class Tally implements ControllerTelemetry {

  private final Map<Outcome, AtomicLong> outcomes = new EnumMap<>(Outcome.class);

  Tally() {
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, new AtomicLong());
    }
  }

  @Override
  public void finished(Outcome outcome, long nanos) {
    Objects.requireNonNull(outcomes.get(outcome)).incrementAndGet();
  }

  @Override
  public String toString() {
    return outcomes.toString();
  }
}
