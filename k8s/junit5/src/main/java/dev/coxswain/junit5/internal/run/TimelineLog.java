// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * What happened in a run, in order.
 *
 * <p>Thread rule: any thread.
 */
public final class TimelineLog {

  /** More lines than any reader wants, and fewer than fill the memory. */
  private static final int MAX_LINES = 20_000;

  private static final double NANOS_PER_SECOND = 1e9;

  private final LongSupplier nanos;
  private final List<String> lines = new ArrayList<>();
  private int mark = -1;

  /**
   * Creates an empty log.
   *
   * @param nanos returns the time since the begin of the run; any thread
   */
  public TimelineLog(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Adds a line. */
  public synchronized void add(String who, String what) {
    if (lines.size() < MAX_LINES) {
      lines.add(
          String.format(
              Locale.ROOT, "%9.3f s  %-7s %s", nanos.getAsLong() / NANOS_PER_SECOND, who, what));
    }
  }

  /** Adds the line of the perturbation, which excerpts begin at. */
  public synchronized void mark(String what) {
    if (mark < 0) {
      mark = lines.size();
    }
    add(">>>>>>>", what);
  }

  /** Returns how many lines there are before the perturbation. */
  public synchronized int linesBeforeMark() {
    return Math.max(0, mark);
  }

  /** Returns all lines. */
  public synchronized String all() {
    return String.join("\n", lines);
  }

  /** Returns the last lines. */
  public synchronized String tail(int limit) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - limit), lines.size()));
  }

  /** Returns the lines from shortly before the perturbation. */
  public synchronized String excerpt(int before, int limit) {
    int from = Math.max(0, mark - before);
    int to = Math.min(lines.size(), from + limit);
    StringBuilder text = new StringBuilder();
    if (from > 0) {
      text.append("  ... ").append(from).append(" lines before\n");
    }
    lines.subList(from, to).forEach(line -> text.append(line).append('\n'));
    if (to < lines.size()) {
      text.append("  ... ").append(lines.size() - to).append(" lines after\n");
    }
    return text.toString();
  }
}
