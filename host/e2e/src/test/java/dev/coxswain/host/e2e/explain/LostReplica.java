// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.testing.Await;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Watching continues across lost connections and replicas. */
abstract class LostReplica extends ThreeReplicas {

  /** What one of the others says. */
  private static final Pattern OTHER = Pattern.compile("\"replica\":\"coxswain-[12]\"");

  LostReplica(Stage stage) {
    super(stage);
  }

  @Test
  void whenTheReplicaThatIsListenedToDies_anotherOneIs() throws Exception {
    JsonNode first = Objects.requireNonNull(report.get("replicas").get(0));
    assertThat(first.get("name").asText()).isEqualTo("coxswain-0");
    try (Launcher watch = Launcher.start(folder, Map.of(), "ctl", "events", "-w", "-o", "json")) {
      Await.until(LIMIT, () -> watch.output().contains("\"event\":\"replicas\""));
      signal("KILL", first.get("pid").asLong());
      Await.until(LIMIT, () -> watch.errors().contains("note: reconnecting: "));
      int before = watch.output().length();
      Await.until(LIMIT, () -> OTHER.matcher(watch.output().substring(before)).find());
      watch.terminate();
      assertThat(watch.exitCode()).isEqualTo(143);
    }
    dev.terminate();
    assertThat(dev.exitCode()).as(dev.errors()).isZero();
  }
}
