// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watching continues across lost connections and replicas. */
class CtlEventsIT {

  private static final Duration AWAIT_LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @Test
  void whenTheReplicaThatIsListenedToDies_anotherOneIs() throws Exception {
    Path classes = // without the examples, which this does not need
        Plugins.folder(folder, LeadingController.class, List.of(LeadingController.class.getName()));
    try (Launcher dev =
        Launcher.start(
            folder,
            Map.of("COXSWAIN_CLASSPATH", classes.toString()),
            "dev",
            "--json",
            "--ports=auto",
            "--replicas=2")) {
      JsonNode replicas = new ObjectMapper().readTree(dev.firstLine()).get("replicas");
      ProcessHandle first = dev.child(replicas.get(0).get("pid").asLong());
      dev.child(replicas.get(1).get("pid").asLong());
      try (Launcher watch = Launcher.start(folder, Map.of(), "ctl", "events", "-w", "-o", "json")) {
        Await.until(AWAIT_LIMIT, () -> watch.output().contains("\"event\":\"replicas\""));
        first.destroyForcibly();
        Await.until(AWAIT_LIMIT, () -> watch.errors().contains("note: reconnecting: "));
        Await.until(AWAIT_LIMIT, () -> watch.output().contains("\"replica\":\"coxswain-1\""));
        watch.terminate();
        assertThat(watch.exitCode()).isEqualTo(143);
      }
    }
  }
}
