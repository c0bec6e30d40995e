// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.whole.subject.SubjectSettings;
import dev.coxswain.testing.host.ReplicaGroup;
import dev.coxswain.testing.process.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Measures all subjects in turn, several times, against one API server. Needs Linux.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class WholeRounds {
  private final WholePlan plan;
  private final SubjectStarter starter;
  private final Path kubeconfig;
  private final URI server;
  private final MapWrites writes;
  private final WholeReport report = new WholeReport();

  private WholeRounds(WholePlan plan, SubjectStarter starter, URI server) throws IOException {
    this.plan = plan;
    this.starter = starter;
    this.server = server;
    kubeconfig =
        Files.writeString(plan.out().resolve("kubeconfig"), ReplicaGroup.kubeconfig(server));
    writes = new MapWrites(server);
  }

  public static Map<String, String> options(boolean quick) {
    return WholePlan.options(quick);
  }

  /** Measures, prints and returns true. */
  public static boolean run(Arguments arguments, PrintStream printed) throws IOException {
    // A run that is broken off leaves no process behind.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() ->
                ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly)));
    WholePlan plan = new WholePlan(arguments);
    Files.createDirectories(plan.out());
    SubjectStarter starter =
        new SubjectStarter(Path.of(arguments.text("app")), plan.out(), arguments.text("jvm"));
    Machine.print(printed, SubjectStarter.flags());
    progress("starting the API server with " + plan.number("objects") + " objects");
    try (ApiServer server =
        ApiServer.with(
            "-Xmx1g",
            MapContent.class,
            BusyRun.NAMESPACE + "=" + plan.number("objects"),
            IdleRun.NAMESPACE + "=" + plan.number("controllers"))) {
      WholeRounds rounds = new WholeRounds(plan, starter, server.uri());
      rounds.writes.write(BusyRun.NAMESPACE, "warm-up", BusyRun.updates(plan), 0);
      rounds.all();
      rounds.report.print(printed, plan.number("rounds"));
    } finally {
      starter.removeCache();
    }
    printed.println();
    printed.println("Load average at the end: " + Machine.load());
    return true;
  }

  private void all() throws IOException {
    List<String> subjects =
        new ArrayList<>(SubjectStarter.names().stream().filter(plan::measures).toList());
    if (plan.measures(SubjectStarter.CACHED)) {
      progress("making a start cache");
      starter.prepareCache();
      subjects.add(1, SubjectStarter.CACHED);
    }
    for (int round = 1; round <= plan.number("rounds"); round++) {
      for (String subject : subjects) {
        progress("round " + round + " of " + plan.number("rounds") + ": " + subject);
        if (plan.has(WholePlan.FILL, WholePlan.UPDATES, WholePlan.PACED, WholePlan.RETRIES)) {
          busy(subject, round + "-" + subject + "-");
        }
        IdleRun run = new IdleRun(plan, report, subject, this::start);
        if (plan.has(WholePlan.MANY)) {
          run.many();
        }
        if (plan.has(WholePlan.START, WholePlan.IDLE)) {
          run.starts();
        }
      }
      Collections.rotate(subjects, 1);
      // Each time, so that a run that is broken off leaves something.
      try (PrintStream file =
          new PrintStream(plan.out().resolve("whole.md").toFile(), StandardCharsets.UTF_8)) {
        report.print(file, round);
      }
    }
  }

  private void busy(String subject, String phases) throws IOException {
    try (SubjectProcess process = start(subject, BusyRun.NAMESPACE, 1, plan.number("objects"))) {
      new BusyRun(plan, writes, report, process, subject, phases).measure();
    }
  }

  private SubjectProcess start(String subject, String namespace, int controllers, int objects)
      throws IOException {
    return starter.start(
        subject,
        kubeconfig,
        new SubjectSettings(0, server.toString(), namespace, controllers, objects));
  }

  private static void progress(String text) {
    System.err.println("bench: " + text);
  }
}
