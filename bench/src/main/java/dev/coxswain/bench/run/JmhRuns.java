// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.bench.report.Statistics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs JMH round by round and keeps every sample of every subject. */
public final class JmhRuns {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final Plan plan;

  public JmhRuns(Plan plan) {
    this.plan = plan;
  }

  /** The samples of one subject under one set of parameters. */
  public static final class Samples {
    private final List<Double> nanos = new ArrayList<>();
    private final List<Double> cpu = new ArrayList<>();
    private final List<Double> bytes = new ArrayList<>();

    /** Returns the median of the nanoseconds for one invocation. */
    public double nanos() {
      return Statistics.median(nanos);
    }

    /** Returns the median of the processor nanoseconds, all threads, for one invocation. */
    public double cpu() {
      return Statistics.median(cpu);
    }

    /** Returns the median of the bytes allocated by one invocation. */
    public double bytes() {
      return Statistics.median(bytes);
    }
  }

  /**
   * Runs one benchmark method.
   *
   * @param timed whether it is measured for some time, not in single shots
   * @param vary the parameters that are not the benchmark's own default
   * @return the samples by the values of the parameters {@code by}, in the order of the parameters
   */
  public Map<List<String>, Samples> run(
      Class<?> benchmark, String method, boolean timed, Map<String, String[]> vary, String... by)
      throws RunnerException {
    Map<List<String>, Samples> samples = new LinkedHashMap<>();
    for (int round = 0; round < plan.rounds(); round++) {
      ChainedOptionsBuilder options =
          new OptionsBuilder()
              .include("^" + Pattern.quote(benchmark.getName() + "." + method) + "$")
              .forks(plan.forks())
              .jvmArgs(Plan.JVM.toArray(String[]::new))
              .addProfiler(GCProfiler.class)
              .addProfiler(CpuProfiler.class)
              .shouldFailOnError(true)
              .verbosity(VerboseMode.SILENT);
      if (timed) {
        TimeValue time = TimeValue.milliseconds(plan.iterationTime().toMillis());
        options
            .warmupTime(time)
            .warmupIterations(plan.timedIterations())
            .measurementTime(time)
            .measurementIterations(plan.timedIterations());
      } else {
        options.warmupIterations(plan.warmupShots()).measurementIterations(plan.shots());
      }
      vary.forEach(options::param);
      collect(new Runner(options.build()).run(), by, samples);
    }
    return samples;
  }

  private static void collect(
      Collection<RunResult> results, String[] by, Map<List<String>, Samples> samples) {
    for (RunResult result : results) {
      List<String> key = new ArrayList<>();
      for (String name : by) {
        key.add(result.getParams().getParam(name));
      }
      Samples known = samples.computeIfAbsent(key, unknown -> new Samples());
      for (IterationResult iteration :
          result.getBenchmarkResults().iterator().next().getIterationResults()) {
        known.nanos.add(iteration.getPrimaryResult().getScore());
        keep(iteration.getSecondaryResults().get(ALLOCATED), known.bytes);
        keep(iteration.getSecondaryResults().get(CpuProfiler.LABEL), known.cpu);
      }
    }
  }

  private static void keep(@Nullable Result<?> result, List<Double> samples) {
    if (result != null) {
      samples.add(result.getScore());
    }
  }
}
