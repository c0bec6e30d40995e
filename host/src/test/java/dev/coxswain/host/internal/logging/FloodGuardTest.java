// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.hazelcast.spi.impl.operationservice.impl.InvocationMonitor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.event.KeyValuePair;

@Isolated
class FloodGuardTest {
  private static final String LIBRARY = "com.hazelcast.internal.partition";

  private final LoggerContext loggers = new LoggerContext();
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong(-5);
  private final FloodGuard guard = new FloodGuard(loggers, written, nanos::get);

  FloodGuardTest() {
    written.setContext(loggers);
    written.start();
    guard.start();
  }

  private void log(String logger, int lines) {
    for (int i = 0; i < lines; i++) {
      guard.doAppend(
          new LoggingEvent("test", loggers.getLogger(logger), Level.ERROR, "line", null, null));
    }
  }

  private List<String> texts() {
    return written.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aFloodOfALibrary_isCutOff_andWhatIsLeftOutIsSaidAtOnceAndCountedLater() {
    log(LIBRARY, 5_000);
    assertThat(texts())
        .hasSize(FloodGuard.MOST + 1)
        .endsWith("line", "too many log lines of this logger, dropping further ones");

    nanos.addAndGet(FloodGuard.WINDOW.toNanos());
    log(LIBRARY, 1);
    assertThat(texts())
        .hasSize(FloodGuard.MOST + 3)
        .endsWith("log lines of this logger dropped", "line");
    ILoggingEvent count = written.list.get(FloodGuard.MOST + 1);
    assertThat(count.getLoggerName()).isEqualTo(LIBRARY);
    assertThat(count.getKeyValuePairs())
        .extracting(KeyValuePair::toString)
        .containsExactly("lines=\"" + (5_000 - FloodGuard.MOST) + "\"");
  }

  @Test
  void asManyLinesAsAreAllowed_areAllWritten() {
    for (int window = 0; window < 3; window++) {
      log(LIBRARY, FloodGuard.MOST);
      nanos.addAndGet(FloodGuard.WINDOW.toNanos());
    }
    assertThat(texts()).hasSize(3 * FloodGuard.MOST).containsOnly("line");
  }

  @Test
  void loggersOfALibrary_areCountedEachForItself() {
    log(LIBRARY, 2 * FloodGuard.MOST);
    log("com.hazelcast.internal.cluster", 1);
    assertThat(written.list.getLast().getLoggerName()).isEqualTo("com.hazelcast.internal.cluster");
  }

  @Test
  void ourOwnLoggers_andThoseOfControllers_loseNothing() {
    log("dev.coxswain.reconcile", 1_000);
    log("com.example.checkout", 1_000);
    assertThat(texts()).hasSize(2_000).containsOnly("line");
  }

  @Test
  void aTaskOfHazelcast_thatAShutdownInterrupts_isNoError_andItsOtherFailuresAre() {
    Logger monitor = loggers.getLogger(InvocationMonitor.class);
    ScheduledThreadPoolExecutor ended = new ScheduledThreadPoolExecutor(1);
    ended.shutdown();
    RejectedExecutionException rejected =
        catchThrowableOfType(RejectedExecutionException.class, () -> ended.execute(() -> {}));
    log(monitor, rejected);
    assertThat(written.list).isEmpty();

    log(monitor, new IllegalStateException("a fault"));
    log(loggers.getLogger(LIBRARY), rejected);
    assertThat(texts()).hasSize(2);
  }

  private void log(Logger logger, Throwable failure) {
    guard.doAppend(
        new LoggingEvent("test", logger, Level.ERROR, failure.getMessage(), failure, null));
  }
}
