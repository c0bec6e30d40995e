// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ControllerResource.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControllerMergeTest {

  private static final String ONE =
      """
      {"kind":"Controller","name":"c","replica":"b","state":"running","paused":false,"counts":{"ready":1,"delayed":2},"total":3,
       "failing":1,"dirty":0,"overdue":1,"activeWorkers":2,"maxConcurrent":4,"oldestReadySeconds":0.5,
       "nextReadyAt":"2026-11-20T10:00:01.5Z","asOf":"2026-11-20T10:00:00Z","asOfSeq":7,
       "conditions":[{"type":"workersExhausted","message":"m","replica":"b"}],"totals":{"added":10},"throughput":{"1m":1.5,"5m":null,"1h":null}}
      """;
  private static final String OTHER =
      """
      {"kind":"Controller","name":"c","replica":"a","state":"syncing","paused":true,"pause":{"reason":"r"},"counts":{"ready":10,"delayed":20},
       "total":30,"failing":0,"dirty":1,"overdue":0,"activeWorkers":3,"maxConcurrent":9,"oldestReadySeconds":2,
       "nextReadyAt":"2026-11-20T10:00:01.25Z","asOf":"2026-11-20T10:00:00.1Z","asOfSeq":5,
       "conditions":[{"type":"workersExhausted","message":"m","replica":"a"},{"type":"sourceFailed","message":"m","replica":"a"}],
       "totals":{"added":100},"throughput":{"1m":2.0,"5m":4,"1h":null}}
      """;
  private static final String FAILED =
      "{\"kind\":\"Controller\",\"name\":\"c\",\"replica\":\"0\",\"state\":\"failed\",\"error\":\"e\"}";

  @Test
  void whatCanBeAddedUp_isAddedUp_theRestIsThatOfTheFirstThatRuns() throws IOException {
    ControllerResource whole = ControllerMerge.merge(parts(FAILED, ONE, OTHER));

    String expected =
        """
        {"kind":"Controller","name":"c","replica":"b","state":"syncing","paused":true,"counts":{"ready":11,"delayed":22},"total":33,
         "failing":1,"dirty":1,"overdue":1,"activeWorkers":5,"maxConcurrent":4,"oldestReadySeconds":2,
         "nextReadyAt":"2026-11-20T10:00:01.25Z","asOf":"2026-11-20T10:00:00Z","asOfSeq":7,
         "conditions":[{"type":"workersExhausted","message":"m","replica":"b"},{"type":"workersExhausted","message":"m","replica":"a"},{"type":"sourceFailed","message":"m","replica":"a"}],
         "totals":{"added":110},"throughput":{"1m":3.5,"5m":4.0,"1h":null},
         "runningReplicas":2,"terminalEvicted":0,"sources":[],"pause":{"reason":"r"},
         "parts":[
          {"replica":"0","state":"failed","error":"e"},
          {"replica":"a","state":"syncing","paused":true,"counts":{"ready":10,"delayed":20},"total":30,
           "failing":0,"activeWorkers":3,"maxConcurrent":9,"asOf":"2026-11-20T10:00:00.1Z","asOfSeq":5},
          {"replica":"b","state":"running","paused":false,"counts":{"ready":1,"delayed":2},"total":3,
           "failing":1,"activeWorkers":2,"maxConcurrent":4,"asOf":"2026-11-20T10:00:00Z","asOfSeq":7}]}
        """;
    assertThat(whole).isEqualTo(parts(expected).getFirst());
  }

  @Test
  void whatTheReplicasSaid_isLeftAsItWas() throws IOException {
    List<ControllerResource> parts = parts(ONE, OTHER, FAILED);

    ControllerMerge.merge(parts);

    assertThat(parts).isEqualTo(parts(ONE, OTHER, FAILED));
  }

  @Test
  void whatRunsNowhere_isShownAsItFailed() throws IOException {
    ControllerResource whole = ControllerMerge.merge(parts(FAILED));

    assertThat(whole.state()).isEqualTo("failed");
    assertThat(whole.error()).isEqualTo("e");
    assertThat(whole.parts()).hasSize(1);
  }

  @Test
  void partThatHasNotSyncedInTime_isFailed_andTheWholeRuns() throws IOException {
    String late =
        """
        {"kind":"Controller","name":"c","replica":"a","state":"failed","error":"did not sync","counts":{},"sources":[
          {"description":"x","synced":false,"problem":"403"}]}
        """;
    String well =
        """
        {"kind":"Controller","name":"c","replica":"b","state":"running","counts":{},"sources":[
          {"description":"x","synced":true},{"description":"x","synced":true,"addedAs":"t"}]}
        """;
    ControllerResource whole = ControllerMerge.merge(parts(late, well));
    assertThat(whole.state()).isEqualTo("running");
    assertThat(whole.error()).isNull();
    assertThat(whole.parts().getFirst().error()).isEqualTo("did not sync");
    assertThat(whole.sources())
        .containsExactly(new Source("x", false, null, "403"), new Source("x", true, "t", null));

    ControllerResource none = ControllerMerge.merge(parts(late, late.replace("\"a\"", "\"b\"")));
    assertThat(none.state()).isEqualTo("failed");
    assertThat(none.error()).isEqualTo("did not sync");
  }

  @Test
  void sourcesOfOneDescription_areShownAsOften_asAReplicaHasThem() throws IOException {
    String two =
        """
        {"kind":"Controller","name":"c","replica":"a","state":"running","counts":{},"sources":[
          {"description":"x","synced":true},{"description":"x","synced":false}]}
        """;
    ControllerResource whole = ControllerMerge.merge(parts(two, two.replace("\"a\"", "\"b\"")));
    assertThat(whole.sources())
        .containsExactly(new Source("x", true, null, null), new Source("x", false, null, null));
  }

  private static List<ControllerResource> parts(String... texts) throws IOException {
    List<ControllerResource> parts = new ArrayList<>();
    for (String text : texts) {
      parts.add(Json.read(text.getBytes(UTF_8), ControllerResource.class));
    }
    return parts;
  }
}
