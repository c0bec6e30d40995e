// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeDirectory;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.internal.cluster.ContinueToken;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Who did what is kept in memory as well, and nothing is changed that cannot be recorded. */
@Isolated
class AuditListTest {

  private static final String AUDIT = "/api/v1/audit";

  private final Api api = new Api();

  private AuditTrail trail() {
    return new AuditTrail(
        api.vertx.getOrCreateContext(),
        new VirtualTime(),
        AdminPorts.DEFAULT,
        new History(new FakeDirectory(), new JsonWork(api.vertx, Runnable::run)));
  }

  @AfterEach
  void close() {
    api.close();
  }

  private void threeChanges() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    api.post(Api.item(id) + "/retry", "{\"reason\":\"one\"}").ok(200);
    api.post(Api.DEMO + "/pause", "{\"reason\":\"two\"}").ok(200);
    api.post(Api.DEMO + "/resume", "{\"reason\":\"three\"}").ok(200);
  }

  private List<String> reasons(String query) {
    return api.get(AUDIT + query).ok(200).path("items").findValuesAsText("reason");
  }

  @Test
  void intentAndOutcome_areListedTheYoungestFirst() {
    threeChanges();
    JsonNode list = api.get(AUDIT).ok(200);
    assertThat(list.path("items").findValuesAsText("stage"))
        .containsExactly("outcome", "intent", "outcome", "intent", "outcome", "intent");
    assertThat(reasons("")).containsExactly("three", "three", "two", "two", "one", "one");
    JsonNode first = list.at("/items/5");
    assertThat(first.path("action").asText()).isEqualTo("retry");
    assertThat(first.path("item").asText()).isEqualTo("a/b");
    assertThat(first.path("actor").asText()).isEqualTo("anonymous");
    assertThat(first.has("result")).isFalse();
    assertThat(list.at("/items/4/result").asText()).isEqualTo("applied");
    assertThat(list.at("/items/4/status").asInt()).isEqualTo(200);
  }

  @Test
  void theList_isFilteredAndPaged_andEveryRecordIsShownOnce() {
    threeChanges();
    assertThat(reasons("?action=pause")).containsExactly("two", "two");
    assertThat(reasons("?actor=nobody")).isEmpty();
    assertThat(
            api.get(AUDIT + "?action=puase").problem(400, "invalid-query").path("detail").asText())
        .contains("bulk-flush", "override-limiter", "pause", "setConcurrency", "found \"puase\"");
    assertThat(reasons("?controller=demo")).hasSize(6);
    assertThat(reasons("?since=" + Instant.now().plusSeconds(60))).isEmpty();
    assertThat(reasons("?since=2020-01-01T00:00:00Z")).hasSize(6);
    List<String> seqs = new ArrayList<>();
    String next = "?limit=2";
    while (!next.isEmpty()) {
      JsonNode page = api.get(AUDIT + next).ok(200);
      seqs.addAll(page.path("items").findValuesAsText("seq"));
      api.post(Api.DEMO + "/resume", "{\"reason\":\"meanwhile\"}").ok(200);
      next = page.has("continue") ? "?limit=2&continue=" + page.path("continue").asText() : "";
    }
    assertThat(seqs).containsExactly("6", "5", "4", "3", "2", "1");
    api.get(AUDIT + "?since=yesterday").problem(400, "invalid-query");
    api.get(AUDIT + "?continue=x").problem(400, "invalid-cursor");
    ContinueToken.Part before =
        new ContinueToken.Part("coxswain-0", "0000000000000000-5", ContinueToken.Progress.OPEN);
    api.get(
            AUDIT
                + "?continue="
                + new ContinueToken(ContinueToken.listOf("/audit", ""), List.of(before), null, "")
                    .encode())
        .problem(410, "cursor-expired");
  }

  @Test
  void onlyTheLastRecordsAreKept() {
    AuditTrail trail = trail();
    AuditEntry entry = new AuditEntry(trail, "r", "remote");
    entry.intent();
    for (int i = 1; i < AuditTrail.MAX_RECORDS + 5; i++) {
      entry.outcome("applied", 200);
    }
    List<Long> seqs = new ArrayList<>();
    trail.youngestFirst().forEachRemaining(record -> seqs.add(record.seq()));
    assertThat(seqs).hasSize(AuditTrail.MAX_RECORDS).endsWith(6L).startsWith(10_005L);
  }

  /** Ten thousand refusals of one token, in four minutes, displaced all records of changes. */
  @Test
  void refusals_displaceNoChange_andFewRefusalsOfOthers() {
    AuditTrail trail = trail();
    AuditEntry change = new AuditEntry(trail, "change", "remote");
    change.intent();
    change.outcome("applied", 200);
    refused(trail, "other", 3);
    trail.refusedLogin("remote", 1);
    refused(trail, "mallory", AuditTrail.MAX_RECORDS + 5);
    List<String> kept = new ArrayList<>();
    List<Long> seqs = new ArrayList<>();
    trail
        .youngestFirst()
        .forEachRemaining(record -> {
          kept.add(record.actor().isEmpty() ? record.action() : record.actor());
          seqs.add(record.seq());
        });
    assertThat(kept)
        .hasSize(AuditTrail.MAX_REFUSALS_OF_CALLER + 6)
        .endsWith("mallory", "login", "other", "other", "other", "unknown", "unknown")
        .startsWith("mallory");
    assertThat(seqs).isSortedAccordingTo(Comparator.reverseOrder());
    for (int i = 0; i < 2 * AuditTrail.MAX_REFUSALS; i++) {
      refused(trail, "caller-" + i, 1);
    }
    kept.clear();
    trail.youngestFirst().forEachRemaining(record -> kept.add(record.action()));
    assertThat(kept).hasSize(AuditTrail.MAX_REFUSALS + 2).endsWith("pause", "unknown", "unknown");
  }

  private static void refused(AuditTrail trail, String caller, int times) {
    for (int i = 0; i < times; i++) {
      AuditEntry entry = new AuditEntry(trail, "refused", "remote");
      entry.action("pause");
      entry.actor(Principal.of(caller));
      entry.answered("forbidden", 403);
    }
  }

  @Test
  void aRefusedRequest_isARefusal_andAChangeIsNone() {
    api.post(Api.DEMO + "/pause", "{\"reason\":\"good\"}").ok(200);
    for (int i = 0; i < AuditTrail.MAX_REFUSALS_OF_CALLER + 5; i++) {
      api.post(Api.DEMO + "/pause", "{}").problem(400, "invalid-body");
    }
    JsonNode items = api.get(AUDIT + "?limit=500").ok(200).path("items");
    assertThat(items).hasSize(AuditTrail.MAX_REFUSALS_OF_CALLER + 2);
    assertThat(items.findValuesAsText("reason")).containsExactly("good", "good");
  }

  @Test
  void aChangeThatCannotBeRecorded_isNotMade() {
    Logger logger = (Logger) LoggerFactory.getLogger("audit");
    Appender<ILoggingEvent> broken = new Broken();
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    logger.setLevel(Level.INFO);
    logger.addAppender(broken);
    try {
      api.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}").problem(503, "audit-unavailable");
      api.change("DELETE", Api.item(id), "{\"reason\":\"x\"}").problem(503, "audit-unavailable");
      api.post(
              Api.DEMO + "/operations",
              "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"reason\":\"x\"}")
          .problem(503, "audit-unavailable");
    } finally {
      logger.detachAppender(broken);
      logger.setLevel(null);
    }
    assertThat(api.demo.pause).isNull();
    assertThat(api.demo.size()).isEqualTo(1);
    api.post(
            Api.DEMO + "/operations",
            "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"reason\":\"x\"}")
        .ok(202);
  }

  @Test
  void everyChange_recordsItsIntentFirst() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    String why = "{\"reason\":\"x\"}";
    api.post(Api.item(id) + "/retry", why);
    api.post(Api.item(id) + "/forget", why);
    api.post(Api.item(id) + "/requeue", "{\"reason\":\"x\",\"delay\":\"1s\"}");
    api.post(Api.DEMO + "/items", "{\"reason\":\"x\",\"name\":\"n\"}");
    api.change("DELETE", Api.item(id), why);
    api.change("PATCH", Api.DEMO, "{\"reason\":\"x\",\"maxConcurrent\":2}");
    api.post(Api.DEMO + "/pause", why);
    api.post(Api.DEMO + "/resume", why);
    api.operate(Api.DEMO + "/operations", "{\"action\":\"forget\",\"all\":true,\"reason\":\"x\"}");
    JsonNode items = api.get(AUDIT).ok(200).path("items");
    assertThat(items).hasSize(18);
    for (int i = 0; i < 18; i += 2) {
      assertThat(items.get(i).path("stage").asText()).isEqualTo("outcome");
      assertThat(items.get(i + 1).path("stage").asText()).isEqualTo("intent");
      assertThat(items.get(i + 1).path("action")).isEqualTo(items.get(i).path("action"));
    }
  }

  /** Lets through what the appenders of the framework swallow. */
  private static final class Broken extends AppenderBase<ILoggingEvent> {
    @Override
    public synchronized void doAppend(ILoggingEvent event) {
      throw new IllegalStateException("secret internals");
    }

    @Override
    protected void append(ILoggingEvent event) {
      throw new IllegalStateException("not reached");
    }
  }

  @Test
  void everyActionThatIsRecorded_isInTheDocument() {
    List<String> documented = new ArrayList<>();
    for (JsonNode parameter :
        api.get("/api/v1/openapi.json").ok(200).at("/paths/~1api~1v1~1audit/get/parameters")) {
      if (parameter.path("name").asText().equals("action")) {
        parameter.at("/schema/enum").forEach(name -> documented.add(name.asText()));
      }
    }
    assertThat(documented).containsExactlyElementsOf(Audits.actions());
  }
}
