// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends ended spans in batches on a thread of its own. The queue is bounded: while the collector
 * does not answer, further spans are dropped and counted, and the thread that ends a span waits for
 * nothing.
 *
 * <p>Thread rule: any thread; no method but {@link #close} blocks.
 */
final class SpanQueue implements SpanProcessor {

  static final int BATCH = 512;

  /** How long a span waits for others to fill a batch. */
  private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SpanExporter exporter;
  private final int queueSize;
  private final Duration exportLimit;
  private final ExportReport report;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<ReadableSpan> waiting = new ArrayDeque<>(); // guarded by the lock
  private final Thread thread;
  private boolean closed; // guarded by the lock
  private long closeDeadline; // guarded by the lock

  /**
   * Starts the thread.
   *
   * @param exporter sends a batch
   * @param queueSize the most spans that wait
   * @param exportLimit the longest that a batch may take
   * @param report counts spans by what became of them
   */
  SpanQueue(SpanExporter exporter, int queueSize, Duration exportLimit, ExportReport report) {
    this.exporter = exporter;
    this.queueSize = queueSize;
    this.exportLimit = exportLimit;
    this.report = report;
    this.thread = Thread.ofPlatform().name("trace-export").daemon().start(this::run);
  }

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {}

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!span.getSpanContext().isSampled()) {
      return;
    }
    boolean added;
    lock.lock();
    try {
      added = !closed && waiting.size() < queueSize;
      if (added) {
        waiting.add(span);
        if (waiting.size() == 1 || waiting.size() == BATCH) {
          changed.signalAll();
        }
      }
    } finally {
      lock.unlock();
    }
    if (!added) {
      report.dropped(1);
    }
  }

  private void run() {
    while (true) {
      List<ReadableSpan> batch = next();
      if (batch.isEmpty()) {
        return;
      }
      send(batch);
    }
  }

  private void send(List<ReadableSpan> batch) {
    CompletableResultCode sent;
    try {
      List<SpanData> data = batch.stream().map(ReadableSpan::toSpanData).toList();
      sent = exporter.export(data).join(exportLimit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (Throwable e) { // also no memory: the next batch is sent
      sent = CompletableResultCode.ofExceptionalFailure(e);
    }
    if (sent.isSuccess()) {
      report.sent(batch.size());
    } else {
      report.failed(batch.size(), sent.isDone() ? sent.getFailureThrowable() : null);
    }
  }

  /** Waits for a batch that is full or has waited; empty at the end. */
  private List<ReadableSpan> next() {
    List<ReadableSpan> batch = new ArrayList<>(BATCH);
    lock.lock();
    try {
      long left = DELAY_NANOS;
      while (!closed && waiting.size() < BATCH && left > 0) {
        if (waiting.isEmpty()) {
          changed.await();
          left = DELAY_NANOS;
        } else {
          left = changed.awaitNanos(left);
        }
      }
      if (closed && System.nanoTime() - closeDeadline > 0) {
        report.dropped(waiting.size());
        waiting.clear();
      }
      for (int i = 0; i < BATCH && !waiting.isEmpty(); i++) {
        batch.add(waiting.remove());
      }
    } catch (InterruptedException e) {
      return List.of(); // nothing interrupts this thread but the end of the process
    } finally {
      lock.unlock();
    }
    return batch;
  }

  /** Sends what waits, and returns after {@code limit} at the latest; the rest is dropped. */
  void close(Duration limit) {
    lock.lock();
    try {
      closed = true;
      closeDeadline = System.nanoTime() + limit.toNanos();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    boolean ended;
    try {
      ended = thread.join(limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      ended = false;
    }
    if (!ended) {
      lock.lock();
      try {
        report.dropped(waiting.size());
        waiting.clear();
      } finally {
        lock.unlock();
      }
    }
    exporter.shutdown();
  }
}
