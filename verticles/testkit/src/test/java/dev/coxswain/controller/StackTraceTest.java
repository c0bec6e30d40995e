// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.coxswain.internal.loop.Failure;
import dev.coxswain.internal.loop.StackText;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Where a reconciler failed could be seen nowhere. */
@Isolated
class StackTraceTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.coxswain.reconcile");
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private final Level before = logger.getLevel();
  private final VirtualTime time = new VirtualTime();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(Controller.named("stacks").reconciles(this::reconcile), time);

  private Result reconcile(Request request, ReconcileContext context) {
    if (request.name().startsWith("other")) {
      throw new IllegalArgumentException("secret of " + request);
    }
    return vendor(request);
  }

  private static Result vendor(Request request) {
    throw new IllegalStateException("secret of " + request, new RuntimeException("secret cause"));
  }

  @BeforeEach
  void listen() {
    logger.setLevel(Level.WARN); // the tests of this module are silent otherwise
    written.start();
    logger.addAppender(written);
  }

  @AfterEach
  void silence() {
    logger.detachAppender(written);
    logger.setLevel(before);
  }

  private List<String> stacks(Level level) {
    return written.list.stream()
        .filter(event -> event.getLevel() == level)
        .map(this::stack)
        .toList();
  }

  private String stack(ILoggingEvent event) {
    return Objects.requireNonNullElse(
            event.getKeyValuePairs(), List.<org.slf4j.event.KeyValuePair>of())
        .stream()
        .filter(pair -> pair.key.equals("stacktrace"))
        .map(pair -> String.valueOf(pair.value))
        .findFirst()
        .orElse("");
  }

  @Test
  void firstFailureOfEachCause_isWarnedOfWithItsStack_othersWithout() {
    kit.add(Request.of("ns", "a"));
    kit.add(Request.of("ns", "b"));
    kit.add(Request.of("ns", "other"));
    List<String> stacks = stacks(Level.WARN);
    assertThat(stacks).hasSize(3);
    assertThat(stacks.get(0))
        .startsWith(
            "java.lang.IllegalStateException\n\tat dev.coxswain.controller.StackTraceTest.vendor(")
        .contains("Caused by: java.lang.RuntimeException")
        .doesNotContain("secret");
    assertThat(stacks.get(1)).isEmpty();
    assertThat(stacks.get(2)).startsWith("java.lang.IllegalArgumentException");
  }

  @Test
  void everyFailure_isWrittenWithItsStack_atDebug() {
    logger.setLevel(Level.DEBUG);
    kit.add(Request.of("ns", "a"));
    time.advance(Duration.ofMillis(100));
    assertThat(written.list.size()).isGreaterThan(2);
    assertThat(written.list)
        .allSatisfy(event -> {
          assertThat(stack(event)).contains("StackTraceTest.vendor(");
          assertThat(event.getThrowableProxy()).isNull();
        });
  }

  @Test
  void itemAndExplanation_showTheStack_listsDoNot() {
    kit.add(Request.of("ns", "a"));
    ItemId id = new ItemId("ns", "a");
    QueuedItem item = kit.await(kit.handle().item(id)).orElseThrow();
    assertThat(item.lastErrorStack()).contains("StackTraceTest.vendor(").doesNotContain("secret");
    assertThat(Objects.requireNonNull(kit.await(kit.handle().explain(id)).item()).lastErrorStack())
        .isEqualTo(item.lastErrorStack());
    assertThat(kit.await(kit.handle().list(ItemFilter.ALL, null, 10)).items().getFirst())
        .extracting(QueuedItem::lastErrorStack)
        .isNull();
  }

  @Test
  void stacksAreBounded_inFramesCausesAndCharacters() {
    RuntimeException deep = new RuntimeException("0");
    StackTraceElement[] frames = new StackTraceElement[10_000];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = new StackTraceElement("c".repeat(i % 200 + 1), "m", "F.java", i);
    }
    deep.setStackTrace(frames);
    Throwable chain = deep;
    for (int i = 0; i < 1_000; i++) {
      chain = new RuntimeException(chain);
      chain.setStackTrace(frames);
    }
    String text = StackText.of(chain);
    assertThat(text.length()).isLessThanOrEqualTo(StackText.MAX_LENGTH);
    assertThat(text.lines().filter(line -> line.startsWith("Caused by")).count())
        .isLessThanOrEqualTo(StackText.MAX_CAUSES);
  }

  @Test
  void exceptionThatHidesItsStack_isReportedAllTheSame() {
    Failure failure = Failure.of(new Hiding());
    assertThat(failure.pattern().types()).containsExactly(Hiding.class.getName());
    assertThat(failure.pattern().where()).isEmpty();
    assertThat(StackText.of(failure.cause())).contains("does not show its stack trace");
  }

  private static final class Hiding extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("never");
    }
  }
}
