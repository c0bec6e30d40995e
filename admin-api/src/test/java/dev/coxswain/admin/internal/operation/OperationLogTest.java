// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.http.Body;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperationLogTest {

  private static final OperationRequest REQUEST =
      OperationRequest.read(
          Body.parse(
              "{\"action\":\"retry\",\"all\":true,\"reason\":\"x\"}"
                  .getBytes(StandardCharsets.UTF_8)),
          200);

  private final OperationLog log = new OperationLog();

  private void addRemote(String actor, int number) {
    OperationHeader header = new OperationHeader("op-0000000a-" + number, List.of("coxswain-1"));
    log.addRemote(new OperationRecord(header, "demo", REQUEST, actor, Instant.EPOCH));
  }

  @Test
  void aCallerWithManyOperations_evictsItsOwnRecords_notThoseOfOthers() {
    addRemote("alice", 0);
    for (int number = 1; number <= 3 * OperationLog.MAX_ENDED; number++) {
      addRemote("mallory", number);
    }
    assertThat(log.remotes()).hasSize(OperationLog.MAX_ENDED);
    assertThat(log.remote("op-0000000a-0")).isPresent();
    assertThat(log.remote("op-0000000a-1")).as("the oldest of the caller").isEmpty();
    assertThat(log.remote("op-0000000a-" + 3 * OperationLog.MAX_ENDED)).isPresent();
  }

  @Test
  void callersWithOneRecordEach_areEvictedInOrder() {
    for (int number = 0; number <= OperationLog.MAX_ENDED; number++) {
      addRemote("caller-" + number, number);
    }
    assertThat(log.remote("op-0000000a-0")).isEmpty();
    assertThat(log.remote("op-0000000a-1")).isPresent();
  }
}
