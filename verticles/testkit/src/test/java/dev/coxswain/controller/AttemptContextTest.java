// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** An attempt knows its deadline, and the fields of its log lines. */
@Isolated
class AttemptContextTest {
  private static final Request KEY = Request.of("ns", "a");

  private final VirtualTime time = new VirtualTime();
  private final List<ReconcileContext> contexts = new ArrayList<>();
  private final Promise<Result> end = Promise.promise();

  private void start(Duration limit) {
    ControllerTestKit.of(
            Controller.named("slow")
                .options(options -> options.withReconcileTimeout(limit))
                .reconcilesAsync((request, context) -> {
                  contexts.add(context);
                  return end.future();
                }),
            time)
        .add(KEY);
  }

  @Test
  void deadline_isTheRestOfTheTimeLimit_andZeroAfterIt() {
    start(Duration.ofSeconds(10));
    ReconcileContext context = contexts.getFirst();
    assertThat(context.untilDeadline()).isEqualTo(Duration.ofSeconds(10));
    time.advance(Duration.ofSeconds(4));
    assertThat(context.untilDeadline()).isEqualTo(Duration.ofSeconds(6));
    assertThat(context.isCancelled()).isFalse();
    time.advance(Duration.ofSeconds(6));
    assertThat(context.untilDeadline()).isZero();
    assertThat(context.isCancelled()).isTrue();
    time.advance(Duration.ofSeconds(6));
    assertThat(context.untilDeadline()).isZero();
  }

  @Test
  void withoutATimeLimit_thereIsNoDeadline() {
    start(Duration.ZERO);
    time.advance(Duration.ofDays(9));
    assertThat(contexts.getFirst().untilDeadline()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
  }

  @Test
  void logFields_areThoseOfTheAttempt_thenTheAddedOnes_andTheFirstCannotBeReplaced() {
    start(Duration.ZERO);
    ReconcileContext context = contexts.getFirst();
    context.addLogField("tenant", "a");
    context.addLogField("size", 3);
    context.addLogField("tenant", "b");
    context.addLogField("key", "another");
    assertThat(context.logFields())
        .containsExactly(
            Map.entry("controller", "slow"),
            Map.entry("key", "ns/a"),
            Map.entry("attempt", context.attemptId()),
            Map.entry("tenant", "b"),
            Map.entry("size", 3));
  }

  @Test
  void addedLogFields_areLimited_andHoldTheTextOfTheirValues() {
    start(Duration.ZERO);
    ReconcileContext context = contexts.getFirst();
    StringBuilder changing = new StringBuilder("before");
    context.addLogField("text", changing);
    changing.append(" and after");
    for (int i = 0; i < 1000; i++) {
      context.addLogField("field_" + i, i);
    }
    context.addLogField("field_0", "replaced");
    assertThat(context.logFields())
        .hasSize(3 + ReconcileContext.MAX_LOG_FIELDS)
        .containsEntry("text", "before")
        .containsEntry("field_0", "replaced")
        .doesNotContainKey("field_" + ReconcileContext.MAX_LOG_FIELDS);
  }

  @Test
  void lineOfAFailure_hasTheFieldsThatItsAttemptAdded() {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.coxswain.reconcile");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.WARN);
    logger.addAppender(lines);
    try {
      ControllerTestKit.of(
              Controller.named("failing")
                  .reconciles((request, context) -> {
                    context.addLogField("tenant", "a");
                    throw new IllegalStateException("on purpose");
                  }),
              time)
          .add(KEY);
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(before);
    }
    assertThat(lines.list)
        .singleElement()
        .satisfies(line ->
            assertThat(line.getKeyValuePairs().stream().map(pair -> pair.key + "=" + pair.value))
                .contains("controller=failing", "key=ns/a", "tenant=a", "failures=1"));
  }
}
