// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.history.AuditResource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The records of one request become one change, whatever is recorded. */
class ChangeGroupTest {

  private static final String CAUSE = "0123456789ab";
  private static final String PAUSE =
      "{\"cause\":\""
          + CAUSE
          + "\",\"pauseBefore\":null,\"pause\":{\"reason\":\"x\",\"by\":\"a\",\"since\":\"2026-11-20T10:00:00Z\"}}";

  private static AuditResource record(String action, String stage, String result, String change) {
    return new AuditResource(
        "coxswain-0",
        1,
        Instant.EPOCH,
        Map.of(
            "requestId", "r",
            "action", action,
            "controller", "demo",
            "stage", stage,
            "result", result,
            "status", result.endsWith("applied") ? 200 : 504,
            "change", change));
  }

  private static ChangeGroup group(AuditResource... youngestFirst) {
    ChangeGroup group = new ChangeGroup(0);
    for (AuditResource record : youngestFirst) {
      group.add(record, 0);
    }
    return group;
  }

  private static AuditResource outcome(String result) {
    return record("pause", "outcome", result, PAUSE);
  }

  private static AuditResource intent() {
    return record("pause", "intent", "", PAUSE);
  }

  @Test
  void aTimeout_isReplacedByTheOutcomeThatCameLate() {
    ChangeGroup late = group(outcome("late-applied"), outcome("timeout"), intent());
    assertThat(late.isAmbiguous()).isFalse();
    assertThat(late.result(Instant.EPOCH)).isEqualTo("applied");
    assertThat(late.states()).isPresent();
    ChangeGroup failed = group(outcome("late-internal"), outcome("timeout"), intent());
    assertThat(failed.isAmbiguous()).isFalse();
    assertThat(failed.result(Instant.EPOCH)).isEqualTo("unknown");
  }

  @Test
  void otherOutcomesTwice_areSeveralRequests() {
    for (List<String> results :
        List.of(
            List.of("applied", "applied"),
            List.of("applied", "timeout"),
            List.of("late-applied", "applied"),
            List.of("timeout", "timeout"))) {
      ChangeGroup group = group(outcome(results.getFirst()), outcome(results.getLast()), intent());
      assertThat(group.isAmbiguous()).as(results.toString()).isTrue();
    }
  }

  @Test
  void theCause_isThatOfAnyRecord_soAPauseOfACauseIsNeverOneOfItsController() {
    assertThat(group(intent()).cause()).isEqualTo(CAUSE);
    assertThat(group(outcome("timeout"), intent()).subject()).contains(CAUSE);
    ChangeGroup later = group(record("pause", "outcome", "internal", ""));
    assertThat(later.cause()).isEmpty();
    later.add(intent(), 1);
    assertThat(later.cause()).isEqualTo(CAUSE);
  }

  @Test
  void recordsWithoutTheFormOfAState_haveNone() {
    Map<String, List<String>> bodies =
        Map.of(
            "override-limiter",
            List.of("{\"limit\":null,\"limitBefore\":null}", "{\"limit\":3,\"limitBefore\":[]}"),
            "pause",
            List.of("{\"pause\":{\"reason\":\"x\"},\"pauseBefore\":null}", "null", "[]", "{"),
            "setConcurrency",
            List.of("{\"maxConcurrent\":null,\"maxConcurrentBefore\":\"1\"}"));
    bodies.forEach((action, changes) -> {
      for (String change : changes) {
        ChangeGroup group = group(record(action, "outcome", "applied", change));
        assertThat(group.states()).as(change).isEmpty();
        assertThat(group.shown("no", Instant.EPOCH).before()).as(change).isNull();
      }
    });
  }

  @Test
  void whatIsReadOnce_followsTheRecordsThatAreAdded() {
    ChangeGroup group = group(record("pause", "outcome", "applied", ""));
    assertThat(group.states()).isEmpty();
    AuditResource other = outcome("applied").at("coxswain-1");
    group.add(other, 1);
    assertThat(group.states()).isPresent();
    assertThat(group.cause()).isEqualTo(CAUSE);
  }
}
