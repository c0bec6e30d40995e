// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real replicas with the default configuration: one of them runs a controller of the leader. */
class OwnershipIT {

  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final String STARTED =
      "controller started logger=dev.coxswain.verticle.ControllerVerticle controller="
          + LeadingController.NAME;
  private static final String STANDS_BY = "host started";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());

  @TempDir private Path folder;

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void twoReplicas_runAControllerOfTheLeaderOnce_andTheOtherTakesOverAfterAKill() throws Exception {
    try (Launcher first = replica("first")) {
      await(first, STARTED);
      try (Launcher second = replica("second")) {
        await(second, STANDS_BY);
        assertThat(second.output()).doesNotContain(STARTED);
        first.handle().destroyForcibly();
        await(second, STARTED);
      }
    }
  }

  private Launcher replica(String name) throws IOException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(kubeconfig, server.kubeconfig());
    Path classes =
        Plugins.folder(
            Files.createDirectory(folder.resolve(name)),
            LeadingController.class,
            List.of(LeadingController.class.getName()));
    return Launcher.start(
        folder,
        Distribution.withFreePorts(
            Map.of("COXSWAIN_CLASSPATH", classes.toString(), "COXSWAIN_REPLICA_NAME", name)),
        "run",
        "--kubeconfig",
        kubeconfig.toString());
  }

  private static void await(Launcher run, String text) throws IOException {
    run.await(text, LIMIT, () -> run.output().contains(text));
  }
}
