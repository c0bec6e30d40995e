// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperationsTest {

  private static final String OPERATIONS = Api.DEMO + "/operations";

  private final Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(10)));

  @AfterEach
  void close() {
    api.close();
  }

  private void putSix() {
    api.demo.put("a", "r", Phase.READY, 0, null);
    api.demo.put("a", "d1", Phase.DELAYED, 5, "boom");
    api.demo.put("a", "d2", Phase.DELAYED, 6, "boom");
    api.demo.put("b", "d3", Phase.DELAYED, 7, "boom");
    api.demo.put("a", "w", Phase.WAITING_TOKEN, 8, "boom");
    api.demo.put("a", "f", Phase.IN_FLIGHT, 9, "boom");
  }

  private BulkRequest lastBulk() {
    return api.demo.bulks.getLast();
  }

  @Test
  void aDryRun_changesNothing_andCountsWhatTheOperationThenChanges() {
    putSix();
    String selector =
        "\"selector\":{\"phase\":[\"delayed\",\"waitingToken\"],\"namespace\":\"a\","
            + "\"minFailures\":5}";
    JsonNode preview =
        api.post(OPERATIONS, "{\"action\":\"flush\",\"dryRun\":true," + selector + "}").ok(200);
    assertThat(preview.path("kind").asText()).isEqualTo("OperationPreview");
    assertThat(preview.path("matched").asInt()).isEqualTo(3);
    assertThat(preview.at("/byPhase/delayed").asInt()).isEqualTo(2);
    assertThat(preview.at("/byPhase/waitingToken").asInt()).isEqualTo(1);
    assertThat(preview.path("sample")).hasSize(3);
    assertThat(preview.at("/byReplica/coxswain-0").asInt()).isEqualTo(3);
    assertThat(api.demo.size()).isEqualTo(6);
    assertThat(api.demo.bulks).allMatch(BulkRequest::dryRun);

    JsonNode done =
        api.operate(
            OPERATIONS,
            "{\"action\":\"flush\",\"reason\":\"INC-1\",\"asOfSeq\":"
                + preview.path("asOfSeq").asLong()
                + ","
                + selector
                + "}");
    assertThat(done.path("kind").asText()).isEqualTo("Operation");
    assertThat(done.path("id").asText()).matches("op-[0-9a-f]{8}-1");
    assertThat(done.path("state").asText()).isEqualTo("Succeeded");
    assertThat(done.path("matched").asInt()).isEqualTo(3);
    assertThat(done.path("done").asInt()).isEqualTo(3);
    assertThat(done.path("applied").asInt()).isEqualTo(3);
    assertThat(done.path("remaining").asInt(-1)).isZero();
    assertThat(done.path("reason").asText()).isEqualTo("INC-1");
    assertThat(done.path("endedAt").asText()).endsWith("Z");
    assertThat(api.demo.size()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\"selector\":{},",
        "\"selector\":{\"name\":\"*\"},",
        "\"selector\":{\"name\":\"***\"},",
        "\"selector\":{\"minFailures\":0},",
        "\"selector\":{\"phase\":[\"ready\",\"delayed\",\"waitingToken\",\"inFlight\"]},",
        "\"all\":false,"
      })
  void aSelectorThatLeavesNothingOut_isRefused_withoutAll(String selector) {
    putSix();
    for (String dry : List.of("", "\"dryRun\":true,")) {
      JsonNode problem =
          api.post(OPERATIONS, "{" + selector + dry + "\"action\":\"flush\",\"reason\":\"x\"}")
              .problem(400, "invalid-body");
      assertThat(problem.at("/errors/0/pointer").asText()).isEqualTo("/selector");
    }
    assertThat(api.demo.bulks).isEmpty();
  }

  @Test
  void aWrongSelector_isNotSaidToMatchEverything() {
    putSix();
    JsonNode problem =
        api.post(
                OPERATIONS,
                "{\"selector\":{\"cause\":\"nosuch\"},\"action\":\"retry\",\"reason\":\"x\"}")
            .problem(400, "invalid-body");
    assertThat(problem.path("errors").size()).as(problem.toString()).isEqualTo(1);
    assertThat(problem.at("/errors/0/pointer").asText()).isEqualTo("/selector/cause");
  }

  @Test
  void all_meansEverything_andContradictsASelector() {
    putSix();
    api.post(
            OPERATIONS,
            "{\"action\":\"flush\",\"all\":true,\"selector\":{\"failing\":true},\"reason\":\"x\"}")
        .problem(400, "invalid-body");
    JsonNode done = api.operate(OPERATIONS, "{\"action\":\"flush\",\"all\":true,\"reason\":\"x\"}");
    assertThat(done.path("applied").asInt()).isEqualTo(5);
    assertThat(done.path("skipped").asInt()).isEqualTo(1);
    assertThat(done.at("/byResult/1/cause").asText()).isEqualTo("in flight");
    assertThat(done.at("/byResult/1/count").asInt()).isEqualTo(1);
  }

  @Test
  void moreThanMaxAffected_changesNothing() {
    putSix();
    String order =
        "\"action\":\"flush\",\"selector\":{\"failing\":true},\"maxAffected\":2,\"reason\":\"x\"}";
    JsonNode problem = api.post(OPERATIONS, "{" + order).problem(409, "too-many-affected");
    assertThat(problem.at("/current/matched").asInt()).isEqualTo(5);
    assertThat(api.demo.size()).isEqualTo(6);
    JsonNode preview = api.post(OPERATIONS, "{\"dryRun\":true," + order).ok(200);
    assertThat(preview.at("/warnings/0").asText()).contains("maxAffected is 2");
  }

  @Test
  void aPhase_mayBeGivenAlone() {
    putSix();
    String order = "{\"action\":\"flush\",\"selector\":{\"phase\":\"delayed\"},\"dryRun\":true}";
    assertThat(api.post(OPERATIONS, order).ok(200).path("matched").asInt()).isEqualTo(3);
  }

  @Test
  void countingEndsAtTheLimit_andTheAnswerSaysSo() {
    api.demo.counted =
        new BulkResult(
            true,
            BulkResult.Ending.COMPLETE,
            new BulkProgress(100_001, 0, Map.of(), 0, 0, 0),
            null,
            Map.of(),
            Map.of(),
            List.of(),
            1);
    JsonNode problem =
        api.post(OPERATIONS, "{\"action\":\"forget\",\"all\":true,\"reason\":\"x\"}")
            .problem(409, "too-many-affected");
    assertThat(problem.path("detail").asText()).startsWith("more than 100000 items match");
  }

  @Test
  void asOfSeq_leavesLaterArrivalsAlone() {
    putSix();
    long seq = api.get(Api.DEMO + "/items").ok(200).path("asOfSeq").asLong();
    api.demo.put("a", "late", Phase.DELAYED, 1, "boom");
    api.operate(
        OPERATIONS,
        "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"reason\":\"x\",\"asOfSeq\":"
            + seq
            + "}");
    assertThat(api.demo.at(new dev.coxswain.view.ItemId("a", "late").encoded())).isNotNull();
  }

  @Test
  void then_isRelistByDefault_andMayCarryTheDelay() {
    putSix();
    String flush = "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"reason\":\"x\"";
    api.operate(OPERATIONS, flush + "}");
    assertThat(lastBulk().then()).isEqualTo(Then.RELIST);
    api.operate(OPERATIONS, flush + ",\"then\":\"none\"}");
    assertThat(lastBulk().then()).isEqualTo(Then.NONE);
    api.operate(OPERATIONS, flush + ",\"then\":\"requeueAfter=10m\"}");
    assertThat(lastBulk().then()).isEqualTo(Then.REQUEUE_AFTER);
    assertThat(lastBulk().delay()).isEqualTo(Duration.ofMinutes(10));
    api.operate(OPERATIONS, flush + ",\"then\":\"requeueAfter\",\"delay\":\"5s\"}");
    assertThat(lastBulk().delay()).isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"then\":\"later\"",
        "\"then\":\"requeueAfter\"",
        "\"then\":\"requeueAfter=\"",
        "\"then\":\"requeueAfter=soon\"",
        "\"then\":\"requeueAfter=5s\",\"delay\":\"5s\"",
        "\"then\":\"none\",\"delay\":\"5s\"",
        "\"then\":\"none\",\"spreadOver\":\"5s\"",
        "\"itemsPerSecond\":0",
        "\"itemsPerSecond\":100001",
        "\"maxAffected\":-1",
        "\"maxAffected\":100001",
        "\"maxAffected\":1.5",
        "\"asOfSeq\":-1",
        "\"asOfSeq\":99999999999999999999",
        "\"dryRun\":\"yes\"",
        "\"selector\":[]",
        "\"selector\":{\"phase\":[]}",
        "\"selector\":{\"phase\":[1]}",
        "\"selector\":{\"name\":\"\"}"
      })
  void aBadOrder_isRefused_beforeAnythingIsAsked(String part) {
    putSix();
    String selector = part.contains("selector") ? "" : ",\"selector\":{\"failing\":true}";
    api.post(OPERATIONS, "{\"action\":\"flush\",\"reason\":\"x\"" + selector + "," + part + "}")
        .problem(400, "invalid-body");
    assertThat(api.demo.bulks).isEmpty();
  }

  @Test
  void fieldsOfAFlush_areRefusedForOtherActions() {
    for (String field :
        List.of("\"then\":\"none\"", "\"keepFailures\":true", "\"dropDirty\":true")) {
      api.post(
              OPERATIONS,
              "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"x\","
                  + field
                  + "}")
          .problem(400, "invalid-body");
    }
    api.post(
            OPERATIONS, "{\"action\":\"requeue\",\"selector\":{\"failing\":true},\"reason\":\"x\"}")
        .problem(400, "invalid-body");
  }

  @Test
  void aBulkRetry_isSpreadOver30SecondsPerThousand_unlessToldOtherwise() {
    for (int i = 0; i < 200; i++) {
      api.demo.put("a", "d" + i, Phase.DELAYED, 1, "boom");
    }
    String retry = "{\"action\":\"retry\",\"selector\":{\"failing\":true},\"reason\":\"x\"";
    api.operate(OPERATIONS, api.confirmed(OPERATIONS, retry + "}"));
    assertThat(lastBulk().spreadOver()).isEqualTo(Duration.ofSeconds(6));
    assertThat(lastBulk().filter().maxSeq()).isEqualTo(200);
    api.operate(OPERATIONS, api.confirmed(OPERATIONS, retry + ",\"spreadOver\":\"0s\"}"));
    assertThat(lastBulk().spreadOver()).isZero();
  }
}
