// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.http.Body;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperationLogTest {

  private static final OperationRequest ORDER =
      OperationRequest.read(
          Body.parse(
              "{\"action\":\"retry\",\"all\":true,\"reason\":\"x\"}"
                  .getBytes(StandardCharsets.UTF_8)),
          200);

  private final OperationLog log = new OperationLog();

  private void note(String actor, int number) {
    OperationHeader ticket = new OperationHeader("op-0000000a-" + number, List.of("coxswain-1"));
    log.note(new RemoteOperation(ticket, "demo", ORDER, actor, Instant.EPOCH));
  }

  @Test
  void aCallerWithManyOperations_evictsItsOwnNotes_notThoseOfOthers() {
    note("alice", 0);
    for (int number = 1; number <= 3 * OperationLog.MAX_ENDED; number++) {
      note("mallory", number);
    }
    assertThat(log.notes()).hasSize(OperationLog.MAX_ENDED);
    assertThat(log.noted("op-0000000a-0")).isPresent();
    assertThat(log.noted("op-0000000a-1")).as("the oldest of the caller").isEmpty();
    assertThat(log.noted("op-0000000a-" + 3 * OperationLog.MAX_ENDED)).isPresent();
  }

  @Test
  void callersWithOneNoteEach_areEvictedInOrder() {
    for (int number = 0; number <= OperationLog.MAX_ENDED; number++) {
      note("caller-" + number, number);
    }
    assertThat(log.noted("op-0000000a-0")).isEmpty();
    assertThat(log.noted("op-0000000a-1")).isPresent();
  }
}
