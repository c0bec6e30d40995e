// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.Request;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What one request costs from add to done, on one thread. */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class QueueBenchmark {
  /** How many requests stand in line during {@link #cycle}. */
  private static final int BACKLOG = 1_000;

  @Param({QueueSubject.COXSWAIN, QueueSubject.OFFICIAL_JAVA, QueueSubject.LINKED_HASH_SET})
  public String subject = "";

  @Param("1000000")
  public int keys;

  private Request[] requests = {};
  private QueueSubject queue = new QueueSubject.LinkedSet();
  private int next;

  /** Makes the requests, and the line that {@link #cycle} works on. */
  @Setup
  public void setUp() {
    requests = Keys.requests(keys);
    queue = QueueSubject.create(subject);
    next = 0;
    for (int i = 0; i < Math.min(BACKLOG, keys / 2); i++) {
      addNext();
    }
  }

  private void addNext() {
    queue.add(requests[next]);
    next = next + 1 == requests.length ? 0 : next + 1;
  }

  /** One operation: a request is added at the tail, another one is taken from the head and done. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public Request cycle() {
    addNext();
    return queue.getAndDone();
  }

  /** All requests are added, then all are taken and done, on a new queue. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  public QueueSubject allInThenAllOut() {
    QueueSubject fresh = QueueSubject.create(subject);
    for (Request request : requests) {
      fresh.add(request);
    }
    for (int i = 0; i < requests.length; i++) {
      fresh.getAndDone();
    }
    return fresh;
  }
}
