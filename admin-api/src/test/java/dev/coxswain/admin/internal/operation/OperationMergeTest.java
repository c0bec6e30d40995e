// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.model.OperationResourceBuilder;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The state of an operation of several replicas that changed some, all or none of their items. */
class OperationMergeTest {

  @Test
  void partThatSkippedAll_isNoFailureOfAnOperationThatChangedOthers() {
    OperationResource whole = merged(part("a", "Succeeded", 5, 5, 5), part("b", "Failed", 3, 0, 3));
    assertThat(whole.state()).isEqualTo("Succeeded");
    assertThat(whole.detail()).isNull();
  }

  @Test
  void partsThatSkippedAll_areAFailureWithTheReason_alsoBesideOneWithoutItems() {
    for (OperationResource whole :
        List.of(
            merged(part("a", "Failed", 5, 0, 5), part("b", "Failed", 3, 0, 3)),
            merged(part("a", "Failed", 8, 0, 8), part("b", "Succeeded", 0, 0, 0)))) {
      assertThat(whole.state()).isEqualTo("Failed");
      assertThat(whole.detail()).startsWith("none of 8 items was changed");
    }
  }

  @Test
  void operationThatMatchesNothing_isAFailureWithTheReason() {
    OperationResource whole =
        merged(part("a", "Succeeded", 0, 0, 0), part("b", "Succeeded", 0, 0, 0));
    assertThat(whole.state()).isEqualTo("Failed");
    assertThat(whole.detail()).isEqualTo("no item matches; nothing was changed");
  }

  @Test
  void stopThatEndedOneOfTheParts_isApplied_andOneThatEndedNoneIsSkipped() {
    for (String last : List.of("applied", "skipped")) {
      PeerAnswer first = stopped("a", "skipped");
      assertThat(merged(first, stopped("b", last)).result()).isEqualTo(last);
    }
  }

  private static PeerAnswer stopped(String replica, String result) {
    PeerAnswer part = part(replica, "Cancelled", 5, 1, 1);
    return PeerAnswer.ok(replica, 200, part.as(OperationResource.class).withResult(result));
  }

  @Test
  void partThatRunsBesideOneThatSkippedAll_runs() {
    OperationResource whole = merged(part("a", "Running", 5, 1, 1), part("b", "Failed", 3, 0, 3));
    assertThat(whole.state()).isEqualTo("Running");
  }

  @Test
  void partThatChangedNothingAtItsStart_isPartial() {
    OperationResource whole = merged(part("a", "Succeeded", 5, 5, 5), part("b", "Failed", 3, 0, 0));
    assertThat(whole.state()).isEqualTo("PartiallySucceeded");
  }

  private static OperationResource merged(PeerAnswer... parts) {
    return OperationMerge.operation(List.of(parts), List.of(parts), new OperationLog());
  }

  private static PeerAnswer part(String replica, String state, int matched, int applied, int done) {
    OperationResource operation =
        OperationResourceBuilder.builder()
            .kind(OperationResource.KIND)
            .id("op")
            .state(state)
            .matched(matched)
            .done(done)
            .applied(applied)
            .skipped(done - applied)
            .remaining(matched - done)
            .byResult(List.of())
            .members(List.of())
            .participants(List.of("a", "b"))
            .build();
    return PeerAnswer.ok(replica, 200, operation);
  }
}
