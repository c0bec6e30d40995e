// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.lifecycle;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * When the steps of a start have ended, for {@code --start-timeline}.
 *
 * <p>Thread rule: any thread.
 */
public final class StartTimeline {

  private static final String ROW = "%8s %8s  %s%n";

  private final Instant begin;
  private final List<Step> steps = new ArrayList<>();

  private record Step(String name, Duration end) {}

  /** Creates one that begins with the start of this process, which is known to 10 ms on Linux. */
  public static StartTimeline ofProcess() {
    Instant now = Instant.now();
    return new StartTimeline(ProcessHandle.current().info().startInstant().orElse(now));
  }

  StartTimeline(Instant begin) {
    this.begin = begin;
  }

  /** Records that a step has ended now. */
  public void mark(String step) {
    mark(step, Instant.now());
  }

  synchronized void mark(String step, Instant now) {
    steps.add(new Step(step, Duration.between(begin, now)));
  }

  /** Returns a table of the steps in the order in which they ended. */
  public synchronized String table() {
    StringBuilder table =
        new StringBuilder(String.format(Locale.ROOT, ROW, "at ms", "+ ms", "step"));
    long before = 0;
    for (Step step : steps) {
      long at = step.end().toMillis();
      table.append(String.format(Locale.ROOT, ROW, at, at - before, step.name()));
      before = at;
    }
    return table.toString();
  }
}
