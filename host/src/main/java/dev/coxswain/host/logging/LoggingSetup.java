// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.coxswain.admin.spi.AuditSink;
import dev.coxswain.host.config.CoxswainConfiguration;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the process log as it is configured.
 *
 * <p>Thread rule: called on the main thread, before others are started.
 */
public final class LoggingSetup {
  /** How long the end of the process waits for lines that are not written yet. */
  private static final Duration FLUSH_LIMIT = Duration.ofSeconds(1);

  private static volatile @Nullable LogOutput current; // set once, by the command

  private LoggingSetup() {}

  /** Where lines go. */
  public enum Target {
    /** Where a pod's log is read from. */
    STDOUT,
    /** Where they do not mix with what a command prints. */
    STDERR;

    private FileDescriptor file() {
      return this == STDOUT ? FileDescriptor.out : FileDescriptor.err;
    }
  }

  /**
   * Replaces the set-up there is.
   *
   * @param logging what is wanted
   * @param target where lines go
   */
  public static void apply(CoxswainConfiguration.Logging logging, Target target) {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (!(factory instanceof LoggerContext context)) {
      return; // embedded in a program that logs in its own way
    }
    context.reset();
    LineEncoder encoder =
        switch (logging.format()) {
          case TEXT -> new TextEncoder();
          case JSON -> new JsonEncoder();
        };
    encoder.setContext(context);
    encoder.start();
    // Not System.out, which swallows what goes wrong.
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
    root.setLevel(level(logging.level()));
    // Vert.x registers some gauges twice and Micrometer warns of each; nothing is lost by it.
    context.getLogger("io.micrometer.core.instrument.MeterRegistry").setLevel(Level.ERROR);
    // Says a page at every start; what matters of it the limiter tells itself.
    context.getLogger("com.hazelcast").setLevel(Level.WARN);
    // A line for each answer that nobody waits for any more, hundreds after a process stood still.
    context.getLogger("com.hazelcast.spi.impl.operationservice").setLevel(Level.ERROR);
    logging.levels().forEach((name, level) -> context.getLogger(name).setLevel(level(level)));
    // Whatever was asked for: it shows the name of the cluster, which holds sharedLimiter's secret.
    context.getLogger("com.hazelcast.system").setLevel(Level.WARN);
  }

  /** Returns where audit records go: the log of this process, once it has been set up. */
  public static AuditSink audit() {
    LogOutput output = current;
    return output == null ? AuditSink.logger() : output;
  }

  /** Waits a moment until what was logged is written; for the end of the process. */
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
