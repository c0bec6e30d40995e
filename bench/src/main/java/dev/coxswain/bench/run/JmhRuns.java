// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import java.util.ArrayList;
import java.util.Arrays;
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

  private JmhRuns() {}

  /** A sample of one invocation: its time, its processor time on all threads, what it allocated. */
  public record Sample(double nanos, double cpu, double bytes) {}

  /** Runs a benchmark method, timed or in single shots, and returns the samples by parameters. */
  public static Map<List<String>, List<Sample>> run(
      Plan plan,
      Class<?> benchmark,
      String method,
      boolean timed,
      Map<String, Integer> vary,
      String... by)
      throws RunnerException {
    Map<List<String>, List<Sample>> samples = new LinkedHashMap<>();
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
      vary.forEach((name, value) -> options.param(name, Integer.toString(value)));
      for (RunResult result : new Runner(options.build()).run()) {
        List<Sample> known =
            samples.computeIfAbsent(
                Arrays.stream(by).map(result.getParams()::getParam).toList(),
                _ -> new ArrayList<>());
        result.getBenchmarkResults().iterator().next().getIterationResults().stream()
            .map(JmhRuns::sample)
            .forEach(known::add);
      }
    }
    return samples;
  }

  private static Sample sample(IterationResult iteration) {
    return new Sample(
        iteration.getPrimaryResult().getScore(),
        score(iteration.getSecondaryResults().get(CpuProfiler.LABEL)),
        score(iteration.getSecondaryResults().get(ALLOCATED)));
  }

  private static double score(@Nullable Result<?> result) {
    return result == null ? Double.NaN : result.getScore();
  }
}
