// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import dev.coxswain.host.config.CoxswainConfiguration;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the process log as it is configured.
 *
 * <p>Thread rule: called on the main thread, before others are started.
 */
public final class LoggingSetup {
  private LoggingSetup() {}

  /** Where lines go. */
  public enum Target {
    /** Where a pod's log is read from. */
    STDOUT("System.out"),
    /** Where they do not mix with what a command prints. */
    STDERR("System.err");

    private final String console;

    Target(String console) {
      this.console = console;
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
    Encoder<ILoggingEvent> encoder =
        switch (logging.format()) {
          case TEXT -> new TextEncoder();
          case JSON -> new JsonEncoder();
        };
    encoder.setContext(context);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setName("console");
    appender.setTarget(target.console);
    appender.setEncoder(encoder);
    appender.start();
    FloodGuard guard = new FloodGuard(context, appender, System::nanoTime);
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

  private static Level level(CoxswainConfiguration.Logging.Level level) {
    return Level.toLevel(level.name());
  }
}
