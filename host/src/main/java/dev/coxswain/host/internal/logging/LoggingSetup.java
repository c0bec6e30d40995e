// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.coxswain.admin.spi.AuditSink;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The set-up of the logging of this process.
 *
 * <p>Thread rule: called on the main thread, before others are started; {@link #levels} on any.
 */
public final class LoggingSetup {
  /** The time for remaining lines to be written at the end of the process. */
  private static final Duration FLUSH_LIMIT = Duration.ofSeconds(1);

  /** The levels of loggers that the configuration may change. */
  private static final Map<String, Level> QUIET =
      Map.of(
          // Vert.x registers some gauges twice, and Micrometer warns of each; harmless.
          "io.micrometer.core.instrument.MeterRegistry", Level.ERROR,
          // Logs a page at each start; the limiter logs the relevant part.
          "com.hazelcast", Level.WARN,
          // Another member has left: each roll-out. What follows from it is the limiter's to
          // report.
          "com.hazelcast.internal.server.tcp", Level.ERROR,
          "com.hazelcast.internal.cluster", Level.ERROR,
          "com.hazelcast.internal.partition", Level.ERROR,
          // A line for each late response, hundreds after a process was suspended.
          "com.hazelcast.spi.impl.operationservice", Level.ERROR);

  /** It logs the name of the cluster, which contains sharedLimiter's secret. */
  private static final Map<String, Level> FORCED = Map.of("com.hazelcast.system", Level.WARN);

  private static volatile @Nullable LogOutput current; // set once, by the command
  private static Map<String, Level> levels = Map.of(); // guarded by the class

  private LoggingSetup() {}

  /** The output of the log. */
  public enum Target {
    /** The standard output, the log of a pod. */
    STDOUT,
    /** The standard error, separate from the output of a command. */
    STDERR;

    private FileDescriptor file() {
      return this == STDOUT ? FileDescriptor.out : FileDescriptor.err;
    }
  }

  /**
   * Replaces the set-up.
   *
   * @param logging the settings
   * @param target the output
   */
  public static synchronized void apply(CoxswainConfiguration.Logging logging, Target target) {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (!(factory instanceof LoggerContext context)) {
      return; // embedded in a program with a logging system of its own
    }
    context.reset();
    LineEncoder encoder =
        switch (logging.format()) {
          case TEXT -> new TextEncoder();
          case JSON -> new JsonEncoder();
        };
    encoder.setContext(context);
    encoder.start();
    // Not System.out, which discards errors.
    LogOutput output = new LogOutput(context, encoder, new FileOutputStream(target.file()));
    output.start();
    if (current == null) {
      Runtime.getRuntime().addShutdownHook(new Thread(LoggingSetup::flush, "log-flush"));
    }
    current = output;
    FloodGuard guard = new FloodGuard(context, output, System::nanoTime);
    guard.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(guard);
    levels = Map.of(); // the reset has removed all
    levels(logging);
  }

  /** Changes the levels of loggers; nothing else changes. */
  public static synchronized void levels(CoxswainConfiguration.Logging logging) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    Map<String, Level> next = new HashMap<>(QUIET);
    next.put(Logger.ROOT_LOGGER_NAME, level(logging.level()));
    logging.levels().forEach((name, level) -> next.put(name, level(level)));
    next.putAll(FORCED);
    levels.keySet().stream()
        .filter(name -> !next.containsKey(name))
        .forEach(name -> context.getLogger(name).setLevel(null));
    next.forEach((name, level) -> context.getLogger(name).setLevel(level));
    levels = Map.copyOf(next);
  }

  /** Returns the sink of audit records: the log of this process, after its set-up. */
  public static AuditSink audit() {
    LogOutput output = current;
    return output == null ? AuditSink.logger() : output;
  }

  /** Waits briefly until all lines are written; for the end of the process. */
  public static void flush() {
    LogOutput output = current;
    if (output != null) {
      output.flush(FLUSH_LIMIT);
    }
  }

  private static Level level(CoxswainConfiguration.Logging.Level level) {
    return Level.toLevel(level.name());
  }
}
