// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.event.KeyValuePair;

/**
 * A rate limit on the log lines of each logger of a library, which reports the dropped lines.
 * Hazelcast has written 300 lines a second, of 6 KB each, while the clocks of two members differed
 * by a minute, and netty writes a line for each malformed request of some kinds. Loggers of
 * Coxswain and of controllers are not limited.
 *
 * <p>It also drops the error with which a periodic task of Hazelcast ends when its member is shut
 * down meanwhile: nothing has failed then.
 *
 * <p>Thread rule: any thread.
 */
final class FloodGuard extends AppenderBase<ILoggingEvent> {
  static final int MOST = 50;
  static final Duration WINDOW = Duration.ofSeconds(10);
  private static final List<String> LIBRARIES = List.of("com.hazelcast.", "io.netty.", "io.vertx.");

  /** Its executor has no bound, so it rejects a task only because it has been shut down. */
  private static final String MONITOR =
      "com.hazelcast.spi.impl.operationservice.impl.InvocationMonitor";

  private final LoggerContext loggers;
  private final Appender<ILoggingEvent> next;
  private final LongSupplier nanos;
  private final Map<String, Window> windows = new HashMap<>();

  private static final class Window {
    private long begin;
    private long lines;
  }

  FloodGuard(LoggerContext loggers, Appender<ILoggingEvent> next, LongSupplier nanos) {
    this.loggers = loggers;
    this.next = next;
    this.nanos = nanos;
    setContext(loggers);
    setName("flood-guard");
  }

  /** Passes on unlimited loggers without a lock, from several threads at once. */
  @Override
  public void doAppend(ILoggingEvent event) {
    if (LIBRARIES.stream().noneMatch(event.getLoggerName()::startsWith)) {
      next.doAppend(event);
    } else {
      super.doAppend(event);
    }
  }

  private static boolean isOfShutdown(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    return thrown != null
        && event.getLoggerName().equals(MONITOR)
        && thrown.getClassName().equals(RejectedExecutionException.class.getName());
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (isOfShutdown(event)) {
      return;
    }
    long now = nanos.getAsLong();
    Window window = windows.computeIfAbsent(event.getLoggerName(), _ -> new Window());
    if (window.lines == 0 || now - window.begin >= WINDOW.toNanos()) {
      if (window.lines > MOST) {
        report(event, "log lines of this logger dropped", "lines", window.lines - MOST);
      }
      window.begin = now;
      window.lines = 0;
    }
    window.lines++;
    if (window.lines <= MOST) {
      next.doAppend(event);
    } else if (window.lines == MOST + 1) {
      report(
          event,
          "too many log lines of this logger, dropping further ones",
          "seconds",
          WINDOW.toSeconds());
    }
  }

  private void report(ILoggingEvent cause, String message, String key, long value) {
    LoggingEvent line =
        new LoggingEvent(
            FloodGuard.class.getName(),
            loggers.getLogger(cause.getLoggerName()),
            Level.WARN,
            message,
            null,
            null);
    line.addKeyValuePair(new KeyValuePair(key, value));
    next.doAppend(line);
  }

  @Override
  public void stop() {
    super.stop();
    next.stop();
  }
}
