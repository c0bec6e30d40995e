// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.testing.process.Machine;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Counts the processor time of the whole process for each operation: all threads, the collector
 * included. On a shared machine it is more exact than the time on the wall.
 */
public final class CpuProfiler implements InternalProfiler {
  static final String LABEL = "cpu.norm";

  private long before;

  @Override
  public String getDescription() {
    return "processor time of the process for each operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = Machine.cpuNanos();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    long ops = Math.max(1, result.getMetadata().getAllOps());
    double nanos = (double) (Machine.cpuNanos() - before) / ops;
    return List.of(new ScalarResult(LABEL, nanos, "ns/op", AggregationPolicy.AVG));
  }
}
