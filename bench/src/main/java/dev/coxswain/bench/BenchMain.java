// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench;

import dev.coxswain.bench.admin.AdminLoad;
import dev.coxswain.bench.failures.FailureRuns;
import dev.coxswain.bench.failures.ownership.OwnershipRuns;
import dev.coxswain.bench.failures.ownership.ScalingRounds;
import dev.coxswain.bench.failures.ownership.SoakRuns;
import dev.coxswain.bench.informer.ForeignTables;
import dev.coxswain.bench.informer.PodTables;
import dev.coxswain.bench.informer.SlotLoadTables;
import dev.coxswain.bench.limiter.LimiterTables;
import dev.coxswain.bench.queue.DelayTables;
import dev.coxswain.bench.queue.QueueTables;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.bench.share.ShareRounds;
import dev.coxswain.bench.start.StartRounds;
import dev.coxswain.bench.whole.WholeRounds;
import dev.coxswain.testing.process.Machine;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Runs benchmarks by their names and prints a table for each, see {@code bench/run --help}. */
public final class BenchMain {
  private BenchMain() {}

  /** A benchmark without options that measures and prints. */
  private interface Section {
    void run(Plan plan, PrintStream out) throws Exception;
  }

  /** Measures, prints and returns whether every promise was kept. */
  private interface Run {
    boolean run(Arguments arguments, PrintStream out) throws Exception;
  }

  /** A benchmark that runs alone, with its options and their defaults, for a quick run or not. */
  private record Alone(Function<Boolean, Map<String, String>> options, Run run) {}

  private static Map<String, Section> sections() {
    Map<String, Section> all = new LinkedHashMap<>();
    all.put("queue", QueueTables::queue);
    all.put("inbox", QueueTables::inbox);
    all.put("insert", DelayTables::insert);
    all.put("memory", DelayTables::memory);
    all.put("million", DelayTables::million);
    all.put("lateness", DelayTables::lateness);
    all.put("pods", PodTables::pods);
    all.put("loads", SlotLoadTables::loads);
    all.put("foreign", ForeignTables::foreign);
    all.put("limiter", LimiterTables::limiter);
    return all;
  }

  private static Map<String, Alone> alone() {
    Map<String, Alone> all = new LinkedHashMap<>();
    all.put("admin", new Alone(AdminLoad::options, AdminLoad::run));
    all.put("start", new Alone(StartRounds::options, StartRounds::run));
    all.put("limiter-failures", new Alone(FailureRuns::options, FailureRuns::run));
    all.put("ownership-failures", new Alone(OwnershipRuns::options, OwnershipRuns::run));
    all.put("scaling", new Alone(ScalingRounds::options, ScalingRounds::run));
    all.put("share", new Alone(ShareRounds::options, ShareRounds::run));
    all.put("soak", new Alone(SoakRuns::options, SoakRuns::run));
    all.put("whole", new Alone(WholeRounds::options, WholeRounds::run));
    return all;
  }

  static List<String> names() {
    List<String> names = new ArrayList<>(sections().keySet());
    names.addAll(alone().keySet());
    return names;
  }

  /** Runs the named benchmarks, or all that have no options; exits with 2 for wrong use. */
  public static void main(String[] args) throws Exception {
    boolean quick = List.of(args).contains("--quick");
    List<String> names = new ArrayList<>();
    List<String> options = new ArrayList<>();
    for (String arg : args) {
      if (!arg.equals("--quick")) {
        (arg.startsWith("--") ? options : names).add(arg);
      }
    }
    boolean good = true;
    try {
      for (String name : names) {
        if (!names().contains(name)) {
          throw new IllegalArgumentException(
              "unknown benchmark \"" + name + "\"; use --quick and any of " + names());
        }
        if (alone().containsKey(name) && names.size() > 1) {
          throw new IllegalArgumentException(name + " runs alone");
        }
      }
      Alone alone = names.isEmpty() ? null : alone().get(names.getFirst());
      if (alone == null) {
        Arguments.parse(Map.of(), options);
        runAll(names, quick ? Plan.QUICK : Plan.FULL);
      } else {
        Arguments arguments = Arguments.parse(alone.options.apply(quick), options);
        good = alone.run.run(arguments, System.out);
      }
    } catch (IllegalArgumentException e) {
      System.err.println("bench: " + e.getMessage());
      System.exit(2);
    }
    System.exit(good ? 0 : 1); // whatever threads a peer has left behind
  }

  private static void runAll(List<String> names, Plan plan) throws Exception {
    Map<String, Section> all = sections();
    Machine.print(System.out, String.join(" ", Plan.JVM));
    for (Map.Entry<String, Section> section : all.entrySet()) {
      if (names.isEmpty() || names.contains(section.getKey())) {
        System.err.println("bench: " + section.getKey() + " ...");
        section.getValue().run(plan, System.out);
      }
    }
    System.out.println();
    System.out.println("Load average at the end: " + Machine.load());
  }
}
