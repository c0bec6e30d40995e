// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControllerMergeTest {

  private static final String ONE =
      """
      {"name":"c","replica":"b","state":"running","paused":false,"counts":{"ready":1,"delayed":2},"total":3,
       "failing":1,"dirty":0,"overdue":1,"activeWorkers":2,"maxConcurrent":4,"oldestReadySeconds":0.5,
       "nextReadyAt":"2026-11-20T10:00:01.5Z","asOf":"2026-11-20T10:00:00Z","asOfSeq":7,"options":{"limiter":"x"},
       "conditions":[{"type":"workersExhausted","replica":"b"}],"totals":{"added":10},"throughput":{"1m":1.5,"5m":null,"1h":null}}
      """;
  private static final String OTHER =
      """
      {"name":"c","replica":"a","state":"syncing","paused":true,"pause":{"reason":"r"},"counts":{"ready":10,"delayed":20},
       "total":30,"failing":0,"dirty":1,"overdue":0,"activeWorkers":3,"maxConcurrent":9,"oldestReadySeconds":2,
       "nextReadyAt":"2026-11-20T10:00:01.25Z","asOf":"2026-11-20T10:00:00.1Z","asOfSeq":5,"options":{"limiter":"y"},
       "conditions":[{"type":"workersExhausted","replica":"a"},{"type":"sourceFailed","replica":"a"}],
       "totals":{"added":100},"throughput":{"1m":2.0,"5m":4,"1h":null}}
      """;
  private static final String FAILED =
      "{\"name\":\"c\",\"replica\":\"0\",\"state\":\"failed\",\"error\":\"e\"}";

  @Test
  void whatCanBeAddedUp_isAddedUp_theRestIsThatOfTheFirstThatRuns() throws IOException {
    ObjectNode whole = ControllerMerge.merge(parts(FAILED, ONE, OTHER));

    String expected =
        """
        {"name":"c","replica":"b","state":"syncing","paused":true,"counts":{"ready":11,"delayed":22},"total":33,
         "failing":1,"dirty":1,"overdue":1,"activeWorkers":5,"maxConcurrent":4,"oldestReadySeconds":2,
         "nextReadyAt":"2026-11-20T10:00:01.25Z","asOf":"2026-11-20T10:00:00Z","asOfSeq":7,
         "options":{"limiter":"x"},
         "conditions":[{"type":"workersExhausted","replica":"b"},{"type":"workersExhausted","replica":"a"},{"type":"sourceFailed","replica":"a"}],
         "totals":{"added":110},"throughput":{"1m":3.5,"5m":4.0,"1h":null},
         "runningReplicas":2,"terminalEvicted":0,"pause":{"reason":"r"},
         "parts":[
          {"replica":"0","state":"failed","error":"e"},
          {"replica":"a","state":"syncing","paused":true,"counts":{"ready":10,"delayed":20},"total":30,
           "failing":0,"activeWorkers":3,"maxConcurrent":9,"asOf":"2026-11-20T10:00:00.1Z","asOfSeq":5},
          {"replica":"b","state":"running","paused":false,"counts":{"ready":1,"delayed":2},"total":3,
           "failing":1,"activeWorkers":2,"maxConcurrent":4,"asOf":"2026-11-20T10:00:00Z","asOfSeq":7}]}
        """;
    assertThat(whole).hasToString(String.valueOf(Json.read(expected.getBytes(UTF_8))));
  }

  @Test
  void whatTheReplicasSaid_isLeftAsItWas() throws IOException {
    List<ObjectNode> parts = parts(ONE, OTHER, FAILED);

    ControllerMerge.merge(parts);

    assertThat(parts).isEqualTo(parts(ONE, OTHER, FAILED));
  }

  @Test
  void whatRunsNowhere_isShownAsItFailed() throws IOException {
    ObjectNode whole = ControllerMerge.merge(parts(FAILED));

    assertThat(whole.path("state").asText()).isEqualTo("failed");
    assertThat(whole.path("error").asText()).isEqualTo("e");
    assertThat(whole.path("parts")).hasSize(1);
  }

  @Test
  void partThatHasNotSyncedInTime_isFailed_andTheWholeRuns() throws IOException {
    String late =
        """
        {"name":"c","replica":"a","state":"failed","error":"did not sync","counts":{},"sources":[
          {"description":"x","synced":false,"problem":"403"}]}
        """;
    String well =
        """
        {"name":"c","replica":"b","state":"running","counts":{},"sources":[
          {"description":"x","synced":true},{"description":"x","synced":true,"addedAs":"t"}]}
        """;
    ObjectNode whole = ControllerMerge.merge(parts(late, well));
    assertThat(whole.path("state").asText()).isEqualTo("running");
    assertThat(whole.has("error")).isFalse();
    assertThat(whole.at("/parts/0/error").asText()).isEqualTo("did not sync");
    assertThat(whole.path("sources"))
        .isEqualTo(
            Json.read(
                """
                [{"description":"x","synced":false,"problem":"403"},
                 {"description":"x","synced":true,"addedAs":"t"}]
                """
                    .getBytes(UTF_8)));

    ObjectNode none = ControllerMerge.merge(parts(late, late.replace("\"a\"", "\"b\"")));
    assertThat(none.path("state").asText()).isEqualTo("failed");
    assertThat(none.path("error").asText()).isEqualTo("did not sync");
  }

  @Test
  void sourcesOfOneDescription_areShownAsOften_asAReplicaHasThem() throws IOException {
    String two =
        """
        {"name":"c","replica":"a","state":"running","counts":{},"sources":[
          {"description":"x","synced":true},{"description":"x","synced":false}]}
        """;
    ObjectNode whole = ControllerMerge.merge(parts(two, two.replace("\"a\"", "\"b\"")));
    assertThat(whole.path("sources"))
        .isEqualTo(
            Json.read(
                """
                [{"description":"x","synced":true},{"description":"x","synced":false}]
                """
                    .getBytes(UTF_8)));
  }

  private static List<ObjectNode> parts(String... texts) throws IOException {
    List<ObjectNode> parts = new ArrayList<>();
    for (String text : texts) {
      parts.add((ObjectNode) Json.read(text.getBytes(UTF_8)));
    }
    return parts;
  }
}
