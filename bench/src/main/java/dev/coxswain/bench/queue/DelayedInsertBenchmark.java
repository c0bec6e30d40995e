// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.Request;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long it takes to delay many requests by random times, into a queue that is empty at first.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class DelayedInsertBenchmark {
  @Param({Delays.COXSWAIN, Delays.DELAY_QUEUE, Delays.DELAY_QUEUE_AND_MAP, Delays.OFFICIAL_JAVA})
  public String subject = "";

  @Param("1000000")
  public int items;

  private Request[] requests = {};
  private long[] delays = {};
  private Delays<Request> queue = Delays.bare(Delays.DELAY_QUEUE, false);

  /** Makes the requests and their times, from one to two hours. */
  @Setup
  public void setUp() {
    requests = Keys.requests(items);
    delays = Keys.times(items, TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toNanos(1));
  }

  @Setup(Level.Invocation)
  public void start() {
    queue = Delays.bare(subject, false);
  }

  /** Delays every request. */
  @Benchmark
  public Delays<Request> insertAll() {
    for (int i = 0; i < requests.length; i++) {
      queue.addAfter(requests[i], delays[i]);
    }
    return queue;
  }

  /** Stops the threads of the queue, if it has any. */
  @TearDown(Level.Invocation)
  public void stop() {
    queue.close();
    queue = Delays.bare(Delays.DELAY_QUEUE, false);
  }
}
