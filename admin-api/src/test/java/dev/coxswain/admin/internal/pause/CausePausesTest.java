// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.pause;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.Phase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One cause of many can be paused, on whichever replica it was seen. */
class CausePausesTest {

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private String fails(int replica, String error) {
    cluster.at(replica).demo.put("payments", "x" + replica, Phase.DELAYED, 1, error);
    JsonNode items = cluster.at(replica).get("/api/v1/causes").ok(200).path("items");
    for (JsonNode one : items) {
      if (one.path("error").asText().equals(error)) {
        return one.path("id").asText();
      }
    }
    throw new AssertionError("no cause: " + items);
  }

  private static String body(String cause) {
    return "{\"reason\":\"INC-1\",\"cause\":\"" + cause + "\",\"duration\":\"1h\"}";
  }

  private Api.Answer resume(int asked, String body) {
    return cluster.at(asked).post(Api.DEMO + "/resume", body);
  }

  @Test
  void aCauseOfAnotherReplica_isPausedThere_andShownInEachList() {
    String id = fails(1, "Quota: used up");
    JsonNode paused = cluster.at(0).post(Api.DEMO + "/pause", body(id)).ok(200);
    assertThat(paused.path("result").asText()).isEqualTo("applied");
    assertThat(paused.at("/pausedCauses/0/cause").asText()).isEqualTo(id);
    assertThat(paused.at("/pausedCauses/0/error").asText()).isEqualTo("Quota: used up");
    assertThat(paused.path("paused").asBoolean(true)).isFalse();
    for (int asked = 0; asked < 3; asked++) {
      assertThat(
              cluster.at(asked).get("/api/v1/causes").ok(200).at("/items/0/pause/reason").asText())
          .isEqualTo("INC-1");
      assertThat(cluster.at(asked).get(Api.DEMO).ok(200).at("/pausedCauses/0/until").asText())
          .isNotEmpty();
    }
    JsonNode other = resume(2, "{\"reason\":\"x\",\"cause\":\"" + id + "\"}").ok(200);
    assertThat(other.path("result").asText()).isEqualTo("applied");
    assertThat(other.has("pausedCauses")).isFalse();
  }

  @Test
  void whatIsNoCause_orHasNotBeenSeen_isRefused_andNothingIsPaused() {
    fails(1, "Quota: used up");
    cluster.at(0).post(Api.DEMO + "/pause", body("000000000000")).problem(404, "cause-not-found");
    cluster.at(0).post(Api.DEMO + "/pause", body("quota")).problem(400, "invalid-body");
    JsonNode rest =
        cluster
            .at(0)
            .post(Api.DEMO + "/pause", body(FailurePattern.OTHER.id()))
            .problem(400, "invalid-body");
    assertThat(rest.toString()).contains("pause the controller");
    for (int replica = 0; replica < 3; replica++) {
      assertThat(cluster.at(replica).demo.pausedCauses).isEmpty();
      assertThat(cluster.at(replica).demo.pause).isNull();
    }
  }

  @Test
  void aResumeOfTheController_namesTheCausesThatStayPaused() {
    String id = fails(0, "Quota: used up");
    cluster.at(0).post(Api.DEMO + "/pause", body(id)).ok(200);
    JsonNode skipped = resume(0, "{\"reason\":\"x\"}").ok(200);
    assertThat(skipped.path("result").asText()).isEqualTo("skipped");
    assertThat(skipped.path("detail").asText()).contains("causes of its failures are: " + id);
  }

  @Test
  void theSameAgain_changesNothing_andAnotherReason_replacesIt() {
    String id = fails(0, "Quota: used up");
    String endless = "{\"reason\":\"INC-1\",\"cause\":\"" + id + "\"}";
    Api api = cluster.at(0);
    api.post(Api.DEMO + "/pause", endless).ok(200);
    assertThat(api.post(Api.DEMO + "/pause", endless).ok(200).path("result").asText())
        .isEqualTo("skipped");
    JsonNode other = api.post(Api.DEMO + "/pause", endless.replace("INC-1", "INC-2")).ok(200);
    assertThat(other.path("result").asText()).isEqualTo("applied");
    assertThat(other.at("/pausedCauses/0/reason").asText()).isEqualTo("INC-2");
  }

  @Test
  void theRevisionOfAController_changesWithThePausesOfItsCauses() {
    String id = fails(0, "Quota: used up");
    Api api = cluster.at(0);
    String before = api.get(Api.DEMO).ok(200).path("rev").asText();
    JsonNode after = api.post(Api.DEMO + "/pause?replica=coxswain-0", body(id)).ok(200);
    assertThat(after.path("rev").asText()).isNotEmpty().isNotEqualTo(before);
  }

  @Test
  void moreCausesThanTwenty_arePausedWithTheirController_orNotAtAll() {
    Api api = cluster.at(0);
    for (int i = 0; i < 21; i++) {
      String letter = String.valueOf((char) ('a' + i));
      api.demo.put("payments", letter, Phase.DELAYED, 1, "Quota: used up by " + letter);
    }
    int applied = 0;
    for (JsonNode one : api.get("/api/v1/causes").ok(200).path("items")) {
      Api.Answer answer = api.post(Api.DEMO + "/pause", body(one.path("id").asText()));
      if (++applied <= 20) {
        answer.ok(200);
      } else {
        answer.problem(409, "too-many-pauses");
      }
    }
    assertThat(applied).isEqualTo(21);
  }
}
