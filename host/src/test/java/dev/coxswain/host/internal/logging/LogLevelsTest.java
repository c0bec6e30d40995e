// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The levels of loggers follow the configuration, also when one is taken out of it. */
@Isolated
class LogLevelsTest {

  private static final String NAME = "dev.coxswain.test.levels";

  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final Level before = context.getLogger(Logger.ROOT_LOGGER_NAME).getLevel();

  @AfterEach
  void restore() {
    LoggingSetup.levels(logging(Logging.Level.INFO, Map.of()));
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(before);
  }

  private static Logging logging(Logging.Level level, Map<String, Logging.Level> levels) {
    return new Logging(Logging.Format.TEXT, level, levels);
  }

  private Level effective() {
    return context.getLogger(NAME + ".part").getEffectiveLevel();
  }

  @Test
  void aLevelThatIsTakenAway_isThatOfTheParentAgain() {
    LoggingSetup.levels(logging(Logging.Level.WARN, Map.of(NAME, Logging.Level.TRACE)));
    assertThat(effective()).isEqualTo(Level.TRACE);
    LoggingSetup.levels(logging(Logging.Level.WARN, Map.of()));
    assertThat(effective()).isEqualTo(Level.WARN);
    LoggingSetup.levels(logging(Logging.Level.ERROR, Map.of()));
    assertThat(effective()).isEqualTo(Level.ERROR);
  }
}
