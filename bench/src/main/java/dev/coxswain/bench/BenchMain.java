// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench;

import dev.coxswain.bench.admin.AdminLoad;
import dev.coxswain.bench.admin.part.Options;
import dev.coxswain.bench.failures.FailureRuns;
import dev.coxswain.bench.failures.ownership.OwnershipRuns;
import dev.coxswain.bench.failures.ownership.ScalingRounds;
import dev.coxswain.bench.failures.ownership.SoakRuns;
import dev.coxswain.bench.informer.PodTables;
import dev.coxswain.bench.limiter.LimiterTables;
import dev.coxswain.bench.queue.DelayTables;
import dev.coxswain.bench.queue.QueueTables;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.run.Machine;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.bench.start.StartRounds;
import dev.coxswain.bench.whole.WholeRounds;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs benchmarks by their names and prints a table for each, see {@code bench/run --help}. */
public final class BenchMain {
  private static final String ADMIN = "admin";
  private static final String START = "start";

  private BenchMain() {}

  /** A benchmark without options that measures and prints. */
  private interface Section {
    void run(Plan plan, PrintStream out) throws Exception;
  }

  private static Map<String, Section> sections() {
    Map<String, Section> all = new LinkedHashMap<>();
    all.put("queue", (plan, out) -> new QueueTables(plan, out).queue());
    all.put("inbox", (plan, out) -> new QueueTables(plan, out).inbox());
    all.put("insert", (plan, out) -> new DelayTables(plan, out).insert());
    all.put("memory", (plan, out) -> new DelayTables(plan, out).memory());
    all.put("million", (plan, out) -> new DelayTables(plan, out).million());
    all.put("lateness", (plan, out) -> new DelayTables(plan, out).lateness());
    all.put("pods", (plan, out) -> new PodTables(plan, out).pods());
    all.put("limiter", (plan, out) -> new LimiterTables(plan, out).limiter());
    return all;
  }

  /** Returns the names of all benchmarks. */
  static List<String> names() {
    List<String> names = new ArrayList<>(sections().keySet());
    names.addAll(List.of(ADMIN, START, FailureRuns.NAME, OwnershipRuns.NAME, ScalingRounds.NAME));
    names.addAll(List.of(SoakRuns.NAME, WholeRounds.NAME));
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
      names.stream()
          .filter(name -> !names().contains(name))
          .findFirst()
          .ifPresent(name -> {
            throw new IllegalArgumentException(
                "unknown benchmark \"" + name + "\"; use --quick and any of " + names());
          });
      good =
          (names.size() == 1 && !sections().containsKey(names.getFirst()))
              ? runOne(names.getFirst(), quick, options)
              : runAll(names, quick, options);
    } catch (IllegalArgumentException e) {
      System.err.println("bench: " + e.getMessage());
      System.exit(2);
    }
    System.exit(good ? 0 : 1); // whatever threads a peer has left behind
  }

  private static boolean runAll(List<String> names, boolean quick, List<String> options)
      throws Exception {
    Arguments.parse(Map.of(), options);
    Map<String, Section> all = sections();
    Machine.print(System.out);
    for (String name : names.isEmpty() ? all.keySet() : names) {
      Section section = all.get(name);
      if (section == null) {
        throw new IllegalArgumentException(name + " runs alone");
      }
      System.err.println("bench: " + name + " ...");
      section.run(quick ? Plan.QUICK : Plan.FULL, System.out);
    }
    System.out.println();
    System.out.println("Load average at the end: " + Machine.load());
    return true;
  }

  private static boolean runOne(String name, boolean quick, List<String> options)
      throws IOException {
    switch (name) {
      case ADMIN ->
          AdminLoad.run(Options.of(Arguments.parse(Options.defaults(quick), options)), System.out);
      case START ->
          StartRounds.run(Arguments.parse(StartRounds.options(quick), options), System.out);
      case ScalingRounds.NAME -> {
        Arguments arguments = Arguments.parse(ScalingRounds.options(quick), options);
        return ScalingRounds.run(arguments, System.out);
      }
      case SoakRuns.NAME -> {
        return SoakRuns.run(Arguments.parse(SoakRuns.options(quick), options), System.out);
      }
      case WholeRounds.NAME ->
          WholeRounds.run(Arguments.parse(WholeRounds.options(quick), options), System.out);
      case OwnershipRuns.NAME -> {
        Arguments arguments = Arguments.parse(OwnershipRuns.options(quick), options);
        return OwnershipRuns.run(arguments, options, BenchMain.class.getName(), System.out);
      }
      default -> {
        Arguments arguments = Arguments.parse(FailureRuns.options(quick), options);
        return FailureRuns.run(arguments, options, BenchMain.class.getName(), System.out);
      }
    }
    return true;
  }
}
