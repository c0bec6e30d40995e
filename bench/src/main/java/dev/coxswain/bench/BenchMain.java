// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench;

import dev.coxswain.bench.limiter.LimiterTables;
import dev.coxswain.bench.pods.PodTables;
import dev.coxswain.bench.queue.DelayTables;
import dev.coxswain.bench.queue.QueueTables;
import dev.coxswain.bench.run.Machine;
import dev.coxswain.bench.run.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs benchmarks and prints a table for each: {@code BenchMain [--quick] [name...]}, see {@code
 * bench/run}.
 */
public final class BenchMain {
  private BenchMain() {}

  /** Something that measures and prints. */
  private interface Section {
    void run(Plan plan) throws Exception;
  }

  private static Map<String, Section> sections() {
    Map<String, Section> all = new LinkedHashMap<>();
    all.put("queue", plan -> new QueueTables(plan, System.out).queue());
    all.put("inbox", plan -> new QueueTables(plan, System.out).inbox());
    all.put("insert", plan -> new DelayTables(plan, System.out).insert());
    all.put("memory", plan -> new DelayTables(plan, System.out).memory());
    all.put("million", plan -> new DelayTables(plan, System.out).million());
    all.put("lateness", plan -> new DelayTables(plan, System.out).lateness());
    all.put("pods", plan -> new PodTables(plan, System.out).pods());
    all.put("limiter", plan -> new LimiterTables(plan, System.out).limiter());
    return all;
  }

  /** Runs the named benchmarks, or all of them. */
  public static void main(String[] args) throws Exception {
    Map<String, Section> all = sections();
    Plan plan = Plan.FULL;
    List<String> names = new ArrayList<>();
    for (String arg : args) {
      if (arg.equals("--quick")) {
        plan = Plan.QUICK;
      } else if (all.containsKey(arg)) {
        names.add(arg);
      } else {
        System.err.println(
            "bench: unknown argument \"" + arg + "\"; use --quick and any of " + all.keySet());
        System.exit(2);
      }
    }
    Machine.print(System.out);
    for (String name : names.isEmpty() ? List.copyOf(all.keySet()) : names) {
      System.err.println("bench: " + name + " ...");
      Section section = all.get(name);
      if (section != null) {
        section.run(plan);
      }
    }
    System.out.println();
    System.out.println("Load average at the end: " + Machine.load());
    System.exit(0); // whatever threads a peer has left behind
  }
}
