// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import dev.coxswain.admin.spi.AuditSink;
import io.vertx.core.Future;
import java.io.OutputStream;
import java.time.Duration;
import org.slf4j.event.KeyValuePair;

/**
 * The log of this process: accepts events of all loggers without blocking, and writes audit records
 * with a result.
 *
 * <p>Thread rule: any thread.
 */
public final class LogOutput extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AuditSink {

  private static final String AUDIT = "audit";

  private final LoggerContext loggers;
  private final LineEncoder encoder;
  private final LogWriter writer;

  LogOutput(LoggerContext loggers, LineEncoder encoder, OutputStream out) {
    this.loggers = loggers;
    this.encoder = encoder;
    this.writer =
        new LogWriter(
            out,
            lines -> dropReport("log lines dropped", "lines", lines),
            records -> dropReport("audit records dropped", "records", records),
            System::nanoTime);
    setContext(loggers);
    setName("log");
  }

  @Override
  protected void append(ILoggingEvent event) {
    writer.write(encoder.encode(event));
  }

  @Override
  public Future<Void> write(Line line) {
    LoggingEvent event = event(AUDIT, Level.INFO, line.message());
    event.setInstant(line.at());
    line.fields().forEach((name, value) -> event.addKeyValuePair(new KeyValuePair(name, value)));
    return writer.record(encoder.encode(event));
  }

  /** Returns the number of lines that were dropped or could not be written. */
  public double dropped() {
    return writer.dropped();
  }

  /** Waits until all lines are written, within a limit. */
  void flush(Duration limit) {
    writer.flush(limit);
  }

  private byte[] dropReport(String message, String key, long count) {
    LoggingEvent event = event(LogOutput.class.getName(), Level.WARN, message);
    event.addKeyValuePair(new KeyValuePair(key, count));
    return encoder.encode(event);
  }

  private LoggingEvent event(String logger, Level level, String message) {
    return new LoggingEvent(
        LogOutput.class.getName(), loggers.getLogger(logger), level, message, null, null);
  }
}
