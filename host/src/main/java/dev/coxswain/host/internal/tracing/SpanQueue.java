// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The SDK's batch processor, with its bound and its end counted: it drops what is beyond its queue
 * without a count. The thread that ends a span waits for nothing.
 *
 * <p>Thread rule: any thread; no method but {@link #close} blocks.
 */
final class SpanQueue implements SpanProcessor {

  private static final int BATCH = 512;

  /** How long a span waits for others to fill a batch. */
  private static final Duration DELAY = Duration.ofSeconds(1);

  /** More than can ever wait. */
  private static final int CLOSED = 1 << 30;

  private final SpanExporter exporter;
  private final BatchSpanProcessor batches;
  private final int queueSize;
  private final Duration exportLimit;
  private final ExportReport report;

  /** The spans that have not been given to the exporter; from {@link #CLOSED} on after the end. */
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * Starts the thread of the processor.
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
    this.batches =
        BatchSpanProcessor.builder(new Counted())
            .setMaxQueueSize(queueSize)
            .setMaxExportBatchSize(Math.min(BATCH, queueSize))
            .setScheduleDelay(DELAY)
            .setExporterTimeout(exportLimit)
            .build();
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
    if (waiting.incrementAndGet() > queueSize) {
      waiting.decrementAndGet();
      report.dropped(1);
    } else {
      batches.onEnd(span);
    }
  }

  /** Sends what waits, and returns after {@code limit} at the latest; the rest is dropped. */
  void close(Duration limit) {
    batches.shutdown().join(limit.toMillis(), TimeUnit.MILLISECONDS);
    int left = waiting.getAndSet(CLOSED);
    report.dropped(left < CLOSED / 2 ? left : 0);
    exporter.shutdown();
  }

  /** Sends batches on the thread of the processor, and counts them. */
  private final class Counted implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      if (waiting.addAndGet(-spans.size()) >= CLOSED / 2) {
        return CompletableResultCode.ofFailure(); // they have been counted as dropped
      }
      CompletableResultCode sent;
      try {
        sent = exporter.export(spans).join(exportLimit.toMillis(), TimeUnit.MILLISECONDS);
      } catch (Throwable e) { // the next batch is sent
        sent = CompletableResultCode.ofExceptionalFailure(e);
      }
      if (sent.isSuccess()) {
        report.sent(spans.size());
      } else {
        report.failed(spans.size(), sent.isDone() ? sent.getFailureThrowable() : null);
      }
      return sent;
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }
}
