// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.host.internal.metrics.HostMetrics;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts spans by what became of them, and logs when the export begins to lose spans and when it
 * works again.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
final class ExportReport {

  private static final Logger LOG = LoggerFactory.getLogger(ExportReport.class);

  private final String endpoint;
  private final LongConsumer exported;
  private final LongConsumer dropped;
  private final LongConsumer failed;

  /** Whether each way to lose spans has been logged since the export worked. */
  private final AtomicBoolean failing = new AtomicBoolean();

  private final AtomicBoolean dropping = new AtomicBoolean();
  private final AtomicLong lost = new AtomicLong();

  /**
   * Creates the counters.
   *
   * @param endpoint the address of the collector, for the log
   */
  ExportReport(String endpoint, HostMetrics metrics) {
    this.endpoint = endpoint;
    this.exported = metrics.spans("exported");
    this.dropped = metrics.spans("dropped");
    this.failed = metrics.spans("failed");
  }

  /** The collector accepted some spans. */
  void sent(int spans) {
    exported.accept(spans);
    boolean wasFailing = failing.getAndSet(false);
    boolean wasDropping = dropping.getAndSet(false);
    if (wasFailing || wasDropping) {
      LOG.atInfo()
          .addKeyValue("endpoint", endpoint)
          .addKeyValue("lost", lost.getAndSet(0))
          .log("trace export works again");
    }
  }

  /**
   * The collector did not accept some spans.
   *
   * @param cause the reason; null when there was no answer in time
   */
  void failed(int spans, @Nullable Throwable cause) {
    failed.accept(spans);
    lose(failing, spans, reason(cause));
  }

  /** The queue was full, or the process ends. */
  void dropped(int spans) {
    if (spans > 0) {
      dropped.accept(spans);
      lose(dropping, spans, "the queue of spans is full, or the host stops");
    }
  }

  /** The exporter has the failure of a request as the cause of its own, and none for a response. */
  private static String reason(@Nullable Throwable failure) {
    if (failure == null) {
      return "no answer in time";
    }
    return failure.getCause() == null
        ? "the collector refused them"
        : failure.getCause().toString();
  }

  private void lose(AtomicBoolean logged, int spans, String reason) {
    lost.addAndGet(spans);
    if (logged.compareAndSet(false, true)) {
      LOG.atWarn()
          .addKeyValue("endpoint", endpoint)
          .addKeyValue("error", reason)
          .log("trace export loses spans, further ones are only counted");
    }
  }
}
