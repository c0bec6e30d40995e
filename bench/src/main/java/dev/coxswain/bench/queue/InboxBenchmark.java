// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.Request;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * How long it takes until everything that several threads add has been taken over by a running
 * controller.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
public class InboxBenchmark {
  @Param({
    IntakeSubject.COXSWAIN,
    IntakeSubject.OFFICIAL_JAVA,
    IntakeSubject.COXSWAIN_RECONCILING,
    IntakeSubject.OFFICIAL_JAVA_RECONCILING
  })
  public String subject = "";

  /** How many threads add. */
  @Param({"1", "4"})
  public int producers;

  /** How many additions all of them make together. */
  @Param("1000000")
  public int adds;

  @Param("100000")
  public int keys;

  private Request[] requests = {};
  private Vertx vertx = Vertx.vertx();
  private ExecutorService threads = Executors.newCachedThreadPool();
  private IntakeSubject intake = new IntakeSubject.OfficialJava(false);

  /** Makes the requests and the threads. */
  @Setup
  public void setUp() {
    requests = Keys.requests(keys);
  }

  @Setup(Level.Invocation)
  public void start() {
    intake = IntakeSubject.create(subject, vertx);
  }

  /** Adds everything and waits until it has arrived. */
  @Benchmark
  public void addAll() throws InterruptedException, ExecutionException {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      int first = i * (keys / producers);
      running.add(threads.submit(() -> produce(first, adds / producers)));
    }
    for (Future<?> producer : running) {
      producer.get();
    }
    while (!intake.isSettled()) {
      LockSupport.parkNanos(20_000); // not a spin: there may be no core to spare
    }
  }

  private void produce(int first, int count) {
    int at = first;
    for (int i = 0; i < count; i++) {
      intake.add(requests[at]);
      at = at + 1 == requests.length ? 0 : at + 1;
    }
  }

  @TearDown(Level.Invocation)
  public void stop() {
    intake.close();
  }

  /** Stops the event loops and the threads. */
  @TearDown
  public void tearDown() {
    vertx.close().await();
    threads.shutdownNow();
  }
}
