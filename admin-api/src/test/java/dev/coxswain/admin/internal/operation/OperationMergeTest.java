// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The state of an operation of several replicas that changed some, all or none of their items. */
class OperationMergeTest {

  @Test
  void partThatSkippedAll_isNoFailureOfAnOperationThatChangedOthers() {
    ObjectNode whole = merged(part("a", "Succeeded", 5, 5, 5), part("b", "Failed", 3, 0, 3));
    assertThat(whole.path("state").asText()).isEqualTo("Succeeded");
    assertThat(whole.has("detail")).isFalse();
  }

  @Test
  void partsThatSkippedAll_areAFailureWithTheReason_alsoBesideOneWithoutItems() {
    for (ObjectNode whole :
        List.of(
            merged(part("a", "Failed", 5, 0, 5), part("b", "Failed", 3, 0, 3)),
            merged(part("a", "Failed", 8, 0, 8), part("b", "Succeeded", 0, 0, 0)))) {
      assertThat(whole.path("state").asText()).isEqualTo("Failed");
      assertThat(whole.path("detail").asText()).startsWith("none of 8 items was changed");
    }
  }

  @Test
  void operationThatMatchesNothing_isAFailureWithTheReason() {
    ObjectNode whole = merged(part("a", "Succeeded", 0, 0, 0), part("b", "Succeeded", 0, 0, 0));
    assertThat(whole.path("state").asText()).isEqualTo("Failed");
    assertThat(whole.path("detail").asText()).isEqualTo("no item matches; nothing was changed");
  }

  @Test
  void stopThatEndedOneOfTheParts_isApplied_andOneThatEndedNoneIsSkipped() {
    for (String last : List.of("applied", "skipped")) {
      PeerAnswer first = stopped("a", "skipped");
      assertThat(merged(first, stopped("b", last)).path("result").asText()).isEqualTo(last);
    }
  }

  private static PeerAnswer stopped(String replica, String result) {
    PeerAnswer part = part(replica, "Cancelled", 5, 1, 1);
    return PeerAnswer.ok(replica, 200, part.json().put("result", result));
  }

  @Test
  void partThatRunsBesideOneThatSkippedAll_runs() {
    ObjectNode whole = merged(part("a", "Running", 5, 1, 1), part("b", "Failed", 3, 0, 3));
    assertThat(whole.path("state").asText()).isEqualTo("Running");
  }

  @Test
  void partThatChangedNothingAtItsStart_isPartial() {
    ObjectNode whole = merged(part("a", "Succeeded", 5, 5, 5), part("b", "Failed", 3, 0, 0));
    assertThat(whole.path("state").asText()).isEqualTo("PartiallySucceeded");
  }

  private static ObjectNode merged(PeerAnswer... parts) {
    return OperationMerge.operation(List.of(parts), List.of(parts), new OperationLog());
  }

  private static PeerAnswer part(String replica, String state, int matched, int applied, int done) {
    ObjectNode json =
        Json.object()
            .put("kind", "Operation")
            .put("state", state)
            .put("matched", matched)
            .put("done", done)
            .put("applied", applied)
            .put("skipped", done - applied)
            .put("moved", 0)
            .put("failed", 0)
            .put("remaining", matched - done);
    json.putArray(OperationView.PARTICIPANTS).add("a").add("b");
    return PeerAnswer.ok(replica, 200, json);
  }
}
