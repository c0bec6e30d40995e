// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.run.Commands;
import dev.coxswain.bench.run.Machine;
import dev.coxswain.bench.whole.subject.SubjectSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
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
  /** The name of the benchmark. */
  public static final String NAME = "whole";

  /** Set by {@code bench/run}: the class path of the peer that needs one of its own. */
  private static final String JOSDK_CLASS_PATH = "coxswain.bench.josdk";

  private static final List<String> SERVER_JVM =
      List.of(
          "-Xmx1g",
          "-XX:+UseSerialGC",
          "-Dvertx.disableDnsResolver=true",
          "-Dlogback.configurationFile=bench-logback.xml");

  private final WholePlan plan;
  private final SubjectStarter starter;
  private final Path kubeconfig;
  private final URI server;
  private final MapWrites writes;
  private final WholeReport report = new WholeReport();

  private WholeRounds(
      WholePlan plan, SubjectStarter starter, Path kubeconfig, URI server, MapWrites writes) {
    this.plan = plan;
    this.starter = starter;
    this.kubeconfig = kubeconfig;
    this.server = server;
    this.writes = writes;
  }

  /** Returns the options and their defaults. */
  public static Map<String, String> options(boolean quick) {
    return WholePlan.options(quick);
  }

  /** Measures, prints, and writes {@code whole.json} and a plot of each row. */
  public static void run(Arguments arguments, PrintStream printed) throws IOException {
    run(
        WholePlan.of(arguments),
        Path.of(arguments.text("app")),
        System.getProperty(JOSDK_CLASS_PATH, ""),
        arguments.text("jvm"),
        printed);
  }

  /**
   * Does the same.
   *
   * @param app an installed copy
   * @param josdk the class path of JOSDK; empty to leave it out
   * @param jvm more flags of all measured processes
   */
  static void run(WholePlan plan, Path app, String josdk, String jvm, PrintStream printed)
      throws IOException {
    // A run that is broken off leaves no process behind.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() ->
                ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly)));
    Files.createDirectories(plan.out());
    SubjectStarter starter = new SubjectStarter(app, plan.out(), josdk, jvm);
    Machine.print(printed, SubjectStarter.flags());
    Path kubeconfig = plan.out().resolve("kubeconfig");
    progress("starting the API server with " + plan.objects() + " objects");
    Process process =
        Commands.java(
                SERVER_JVM,
                WholeServer.class,
                kubeconfig,
                BusyRun.NAMESPACE + "=" + plan.objects(),
                IdleRun.NAMESPACE + "=" + plan.controllers())
            .start();
    try {
      String url = process.inputReader().readLine();
      if (url == null) {
        throw new IOException("the API server did not start");
      }
      try (MapWrites writes = new MapWrites(URI.create(url))) {
        WholeRounds rounds = new WholeRounds(plan, starter, kubeconfig, URI.create(url), writes);
        writes.burst(BusyRun.NAMESPACE, "warm-up", plan.updates());
        rounds.all();
        rounds.report.print(printed, plan.rounds());
        new BarPlots(plan.out()).draw(rounds.report);
      }
    } finally {
      process.getOutputStream().close(); // which ends it
      starter.removeCache();
    }
    printed.println();
    printed.println("Load average at the end: " + Machine.load());
  }

  private void all() throws IOException {
    List<String> subjects =
        new ArrayList<>(starter.names().stream().filter(plan.only()::contains).toList());
    if (plan.cache() && subjects.contains(SubjectStarter.COXSWAIN)) {
      progress("making a start cache");
      starter.prepareCache();
      subjects.add(1, SubjectStarter.CACHED);
    }
    for (int round = 0; round < plan.rounds(); round++) {
      for (String subject : subjects) {
        progress("round " + (round + 1) + " of " + plan.rounds() + ": " + subject);
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
      Files.writeString(plan.out().resolve("whole.json"), report.json().encodePrettily());
    }
  }

  private void busy(String subject, String phases) throws IOException {
    try (SubjectProcess process = start(subject, BusyRun.NAMESPACE, 1, plan.objects())) {
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
