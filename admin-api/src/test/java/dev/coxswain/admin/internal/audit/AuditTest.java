// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

@Isolated
class AuditTest {

  private final Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(1)));
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          events.add(event);
        }
      };

  private static Logger audit() {
    return (Logger) LoggerFactory.getLogger("audit");
  }

  @BeforeEach
  void listen() {
    appender.start();
    audit().setLevel(ch.qos.logback.classic.Level.INFO);
    audit().addAppender(appender);
  }

  @AfterEach
  void close() {
    audit().detachAppender(appender);
    audit().setLevel(null);
    api.close();
  }

  /** Returns the outcome, before which the intent must have been written. */
  private Map<String, String> outcome() {
    assertThat(events).hasSize(2);
    Map<String, String> intent = line(events.removeFirst());
    Map<String, String> outcome = onlyLine();
    assertThat(intent).containsEntry("stage", "intent").doesNotContainKey("result");
    for (String same : List.of("actor", "action", "controller", "item", "reason", "requestId")) {
      assertThat(intent).containsEntry(same, outcome.get(same));
    }
    return outcome;
  }

  private Map<String, String> onlyLine() {
    assertThat(events).hasSize(1);
    Map<String, String> line = line(events.getFirst());
    assertThat(line).containsEntry("stage", "outcome");
    events.clear();
    return line;
  }

  private static Map<String, String> line(ILoggingEvent event) {
    assertThat(event.getMessage()).isEqualTo("Admin change");
    Map<String, String> line = new TreeMap<>();
    event.getKeyValuePairs().forEach(pair -> line.put(pair.key, String.valueOf(pair.value)));
    return line;
  }

  @Test
  void everyChange_writesOneLine() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    api.post(Api.item(id) + "/retry", "{\"reason\":\"INC-1\"}", "X-Request-Id", "r1").ok(200);
    assertThat(outcome())
        .containsEntry("action", "retry")
        .containsEntry("actor", "anonymous")
        .containsEntry("controller", "demo")
        .containsEntry("item", "a/b")
        .containsEntry("reason", "INC-1")
        .containsEntry("result", "applied")
        .containsEntry("status", "200")
        .containsEntry("requestId", "r1")
        .extractingByKey("remote")
        .asString()
        .startsWith("127.0.0.1:");
    api.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}").ok(200);
    assertThat(outcome()).containsEntry("action", "pause").containsEntry("result", "applied");
    api.change("DELETE", Api.item(id), "{\"reason\":\"x\"}");
    assertThat(outcome()).containsEntry("action", "drop").containsEntry("status", "204");
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    api.operate(Api.DEMO + "/operations", "{\"action\":\"flush\",\"all\":true,\"reason\":\"x\"}");
    assertThat(outcome())
        .containsEntry("action", "bulk-flush")
        .containsEntry("matched", "1")
        .containsEntry("applied", "1")
        .containsEntry("selector", "{}")
        .containsEntry("result", "Succeeded");
  }

  @Test
  void refusedAndUnansweredChanges_areWrittenToo() {
    api.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}", "Sec-Fetch-Site", "cross-site");
    assertThat(onlyLine()).containsEntry("result", "cross-site-request");
    api.demo.mood = FakeController.Mood.SILENT;
    api.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}");
    assertThat(outcome()).containsEntry("result", "timeout").containsEntry("action", "pause");
  }

  @Test
  void theLine_namesWhoItWas_alsoWhenTheyMayNot() {
    Reviewers reviewers = new Reviewers();
    reviewers.denied.add(new AccessRequest(Verb.RETRY, Access.ITEMS, "a", "demo"));
    try (Api guarded = reviewers.api()) {
      String id = guarded.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      String alice = "Bearer good-alice";
      guarded.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}", "Authorization", alice).ok(200);
      assertThat(outcome()).containsEntry("actor", "alice").containsEntry("groups", "oncall");
      guarded.post(Api.item(id) + "/retry", "{\"reason\":\"x\"}", "Authorization", alice);
      assertThat(onlyLine())
          .containsEntry("actor", "alice")
          .containsEntry("action", "retry")
          .containsEntry("controller", "demo")
          .containsEntry("item", "a/b")
          .containsEntry("result", "forbidden");
      guarded.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}").problem(401, "unauthenticated");
      assertThat(events).isEmpty();
    }
  }

  /** Or an attempt to flush would be found as a harmless retry, which is the first of the verbs. */
  @ParameterizedTest
  @CsvSource({
    "flush, none, flushhard, forbidden",
    "flush, relist, flush, forbidden",
    "forget, , forget, forbidden"
  })
  void anOrderThatIsRefused_isWrittenAsWhatItWas(
      String action, @Nullable String then, String verb, String result) {
    Reviewers reviewers = new Reviewers();
    reviewers.denied.add(
        new AccessRequest(Verb.of(verb).orElseThrow(), Access.OPERATIONS, "a", "demo"));
    try (Api guarded = reviewers.api()) {
      String order =
          "{\"action\":\"%s\",%s\"selector\":{\"namespace\":\"a\"},\"reason\":\"x\"}"
              .formatted(action, then == null ? "" : "\"then\":\"" + then + "\",");
      guarded.post(Api.DEMO + "/operations", order, "Authorization", "Bearer good-alice");
      assertThat(onlyLine())
          .containsEntry("action", "bulk-" + verb)
          .containsEntry("result", result);
    }
  }

  @Test
  void anOrderThatNobodyUnderstands_isWrittenAsAnOperation() {
    api.post(Api.DEMO + "/operations", "{\"action\":\"explode\"}");
    assertThat(onlyLine()).containsEntry("action", "operation");
  }

  @Test
  void anOrderThatIsRepeated_isWrittenAsWhatItWas() {
    String order = "{\"action\":\"forget\",\"selector\":{\"namespace\":\"a\"},\"reason\":\"x\"}";
    api.ended(api.post(Api.DEMO + "/operations", order, "Idempotency-Key", "k").ok(202));
    events.clear();
    api.post(Api.DEMO + "/operations", order, "Idempotency-Key", "k").ok(202);
    assertThat(onlyLine())
        .containsEntry("action", "bulk-forget")
        .containsEntry("result", "replayed");
  }

  @Test
  void reads_areNotWritten() {
    api.get(Api.DEMO).ok(200);
    api.get("/nothing");
    assertThat(events).isEmpty();
  }

  @Test
  void hostileText_cannotForgeALine() {
    String id = api.demo.put("a", "b\nADMIN CHANGE forged", Phase.DELAYED, 1, "boom");
    api.post(Api.item(id) + "/retry", "{\"reason\":\"x\"}").ok(200);
    assertThat(outcome().get("item")).doesNotContain("\n");
  }

  @Test
  void clientErrors_leaveNoStackTraceInTheLog() {
    Logger root = (Logger) LoggerFactory.getLogger("ROOT");
    root.addAppender(appender);
    try {
      api.get("/nothing");
      api.get(Api.DEMO + "/items?x=1");
      api.post(Api.DEMO + "/pause", "{");
      api.post(Api.DEMO + "/pause", "{\"reason\":\"" + "x".repeat(70_000) + "\"}");
      api.raw("GET /api/v1/%zz?%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      api.raw("GET /api/v1?%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(events).allMatch(event -> event.getThrowableProxy() == null);
      assertThat(events)
          .noneMatch(event -> event.getLevel().isGreaterOrEqual(ch.qos.logback.classic.Level.WARN));
    } finally {
      root.detachAppender(appender);
    }
  }
}
