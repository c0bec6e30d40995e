// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * When the steps of a start have ended, for {@code --start-timeline}.
 *
 * <p>Thread rule: any thread.
 */
public final class StartTimeline {

  /** The field of the start time after the name of the process. */
  private static final int START_TIME = 19;

  /** Linux shows a hundred ticks a second to programs, whatever it counts itself. */
  private static final int TICK_MILLIS = 10;

  private static final String ROW = "%8s %8s  %s%n";

  private final Instant begin;
  private final List<Step> steps = new ArrayList<>();

  private volatile Consumer<String> listener = _ -> {};

  private record Step(String name, Duration end) {}

  /**
   * Creates one that begins with the start of this process, which is known to 10 ms on Linux. The
   * JDK counts it from the boot of the machine, which it knows to a second only.
   */
  public static StartTimeline ofProcess() {
    Instant now = Instant.now();
    return new StartTimeline(
        age(Path.of("/proc/self/stat"), Path.of("/proc/uptime"))
            .map(now::minus)
            .or(() -> ProcessHandle.current().info().startInstant())
            .orElse(now));
  }

  /** Returns the age of a process by the files of Linux; empty on other systems. */
  static Optional<Duration> age(Path stat, Path uptime) {
    try {
      String text = Files.readString(stat);
      // The name, in parentheses, may contain anything.
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      double running = Double.parseDouble(Files.readString(uptime).split(" ", -1)[0]);
      long ticks = Long.parseLong(fields[START_TIME]);
      return Optional.of(Duration.ofMillis(Math.round(running * 1000) - ticks * TICK_MILLIS));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  StartTimeline(Instant begin) {
    this.begin = begin;
  }

  /** Sets what receives the name of each step that ends, on the thread that marks it. */
  public void onStep(Consumer<String> ended) {
    listener = ended;
  }

  /** Records that a step has ended now. */
  public void mark(String step) {
    mark(step, Instant.now());
    listener.accept(step);
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
