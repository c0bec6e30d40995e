// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.WholeReport.Row;
import dev.coxswain.testing.process.Commands;
import java.io.IOException;

/**
 * Measures processes of one subject with few objects: their start, and what they take when nothing happens.
 */
final class IdleRun {
  /** The namespace of its objects. */
  static final String NAMESPACE = "few";

  private final WholePlan plan;
  private final WholeReport report;
  private final String subject;
  private final Start start;

  /** Starts a process. */
  @FunctionalInterface
  interface Start {
    SubjectProcess of(String subject, String namespace, int controllers, int objects)
        throws IOException;
  }

  IdleRun(WholePlan plan, WholeReport report, String subject, Start start) {
    this.plan = plan;
    this.report = report;
    this.subject = subject;
    this.start = start;
  }

  /** Measures a process with many controllers, each with one object. */
  void many() throws IOException {
    Row row =
        new Row(
            WholePlan.MANY,
            "%d controllers, each with a watch and an object of its own"
                .formatted(plan.number("controllers")));
    int controllers = plan.number("controllers");
    try (SubjectProcess process = start.of(subject, NAMESPACE, controllers, controllers)) {
      process.event("created");
      long all = process.event("all");
      add(row, "all reconciled from exec, s", 2, (all - process.begin()) / 1e9);
      add(row, "processor time until then, s", 2, process.figures().cpuSeconds());
      idle(row, process);
    }
  }

  /** Measures starts of a process with one controller, and the last one when it is idle. */
  void starts() throws IOException {
    Row row =
        new Row(
            WholePlan.START,
            "Start of a process: %d objects".formatted(plan.number("controllers")));
    int starts = plan.has(WholePlan.START) ? plan.number("starts") : 1;
    for (int i = 0; i < starts; i++) {
      try (SubjectProcess process = start.of(subject, NAMESPACE, 1, plan.number("controllers"))) {
        long created = process.event("created");
        long all = process.event("all");
        double cpu = process.figures().cpuSeconds();
        if (plan.has(WholePlan.START)) {
          add(row, "first controller from exec, ms", 0, (created - process.begin()) / 1e6);
          add(row, "all reconciled from exec, ms", 0, (all - process.begin()) / 1e6);
          add(row, "processor time until then, ms", 0, cpu * 1e3);
        }
        if (i == starts - 1 && plan.has(WholePlan.IDLE)) {
          idle(new Row(WholePlan.IDLE, "Idle process with one controller"), process);
        }
      }
    }
  }

  private void idle(Row row, SubjectProcess process) throws IOException {
    Commands.pause(plan.seconds("settle").toMillis());
    add(row, "threads", 0, process.figures().threads());
    add(row, "resident memory, MiB", 0, process.figures().resident());
    double before = process.figures().threadNanos();
    long begin = System.nanoTime();
    Commands.pause(plan.seconds("idle").toMillis());
    double used = process.figures().threadNanos() - before;
    add(row, "idle processor time, ms a second", 2, used * 1e3 / (System.nanoTime() - begin));
  }

  private void add(Row row, String name, int decimals, double value) {
    report.add(row, name, decimals, subject, value);
  }
}
