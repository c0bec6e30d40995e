// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.internal.dev.FreePorts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three real replicas with a shared limiter start, are replaced one by one, and stop. None logs a warning. */
@Tag("long")
@Timeout(900)
class NormalLifeIT extends ChangingReplicas {

  @Test
  void startRollOutAndStop_logNoWarning() throws Exception {
    List<Integer> ports = FreePorts.find(2 * REPLICAS);
    beginChanges();
    for (int round = 0; round < 2; round++) {
      rollOut(ports, round);
    }
    judge();
    stopAll();
    List<String> alarms = new ArrayList<>();
    for (Launcher replica : all) {
      replica.output().lines().filter(NormalLifeIT::isAlarm).forEach(alarms::add);
    }
    assertThat(alarms).isEmpty();
  }

  private void rollOut(List<Integer> ports, int round) throws Exception {
    String members =
        ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int i = 0; i < REPLICAS; i++) {
      replace(
          Launcher.SCRIPT,
          Map.of(),
          "--set=sharedLimiter.enabled=true",
          "--set=membership.host=127.0.0.1",
          "--set=sharedLimiter.port=" + ports.get(round * REPLICAS + i),
          "--set=sharedLimiter.members=[" + members + "]");
    }
  }

  private static boolean isAlarm(String line) {
    return line.contains(" WARN ")
        || line.contains(" ERROR ")
        || line.contains("\"level\":\"warn")
        || line.contains("\"level\":\"error");
  }
}
