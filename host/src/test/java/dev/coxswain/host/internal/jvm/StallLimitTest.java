// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.lifecycle.HostException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class StallLimitTest {

  private static final StallLimit SECOND = new StallLimit(Duration.ofSeconds(1));

  @Test
  void aProcessThatWorks_isWaitedFor_longerThanTheLimit() throws Exception {
    long begin = System.nanoTime();
    Process works = shell("i=0; while [ $i -lt 4000000 ]; do i=$((i+1)); done");
    try {
      assertThat(SECOND.awaitEnd(works)).isTrue();
      assertThat(System.nanoTime() - begin).isGreaterThan(SECOND.length().toNanos());
    } finally {
      works.destroyForcibly();
    }
  }

  @Test
  void theWorkOfAChild_isWork() throws Exception {
    Process waits = shell("sh -c 'i=0; while [ $i -lt 4000000 ]; do i=$((i+1)); done' & wait");
    try {
      assertThat(SECOND.awaitEnd(waits)).isTrue();
    } finally {
      waits.descendants().forEach(ProcessHandle::destroyForcibly);
      waits.destroyForcibly();
    }
  }

  @Test
  void aProcessThatWaits_isNotWaitedForLongerThanTheLimit() throws Exception {
    Process waits = shell("exec sleep 600");
    try {
      assertThat(SECOND.awaitEnd(waits)).isFalse();
      assertThat(waits.isAlive()).isTrue();
    } finally {
      waits.destroyForcibly();
    }
  }

  @Test
  void aStepThatDoesNotEnd_namesLimitAndOption_andItsOwnFailureIsKept() {
    StallLimit limit = new StallLimit(Duration.ofMillis(20));
    assertThatThrownBy(() -> limit.await("the API server", Promise.promise().future()))
        .isInstanceOf(HostException.class)
        .hasMessage(
            "the API server made no progress for 0.02s; --stall-limit or COXSWAIN_STALL_LIMIT sets"
                + " another limit");
    assertThatThrownBy(() -> limit.await("x", Future.failedFuture(new TimeoutException("own"))))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("own");
  }

  @Test
  void theOption_winsOverTheVariable_andAWrongOneIsNamed() {
    assertThat(StallLimit.ofVariable(null)).isEqualTo(Duration.ofMinutes(5));
    assertThat(StallLimit.ofVariable(" ")).isEqualTo(Duration.ofMinutes(5));
    assertThat(StallLimit.ofVariable("1h30m")).isEqualTo(Duration.ofMinutes(90));
    for (String wrong : List.of("soon", "0", "-1s")) {
      assertThatThrownBy(() -> StallLimit.ofVariable(wrong))
          .isInstanceOf(CommandException.class)
          .hasMessage(
              "variable COXSWAIN_STALL_LIMIT: expected a duration such as 30s or 10m, found \"%s\"",
              wrong);
    }
    StallLimit limit = StallLimit.of(Arguments.parse(List.of("--stall-limit", "20m"), flags()));
    assertThat(limit.length()).isEqualTo(Duration.ofMinutes(20));
    assertThat(StallLimit.of(Arguments.parse(limit.arguments(), flags()))).isEqualTo(limit);
  }

  private static List<Flag> flags() {
    return List.of(StallLimit.FLAG);
  }

  private static Process shell(String script) throws Exception {
    return new ProcessBuilder("sh", "-c", script).start();
  }
}
