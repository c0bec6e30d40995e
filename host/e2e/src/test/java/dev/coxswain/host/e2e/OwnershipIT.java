// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real replicas with the default configuration: one of them runs a controller of the leader. */
class OwnershipIT {

  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final String STARTED =
      "controller started logger=dev.coxswain.verticle.ControllerVerticle controller="
          + LeadingController.NAME;
  private static final Pattern HEALTH = Pattern.compile("server=health url=(\\S+)");

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
        second.await("it is ready", LIMIT, () -> isReady(second.output()));
        assertThat(second.output()).as("%s", first.output()).doesNotContain(STARTED);
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
        kubeconfig.toString(),
        "--set=controllers.leading.ownership=leader");
  }

  private static boolean isReady(String output) throws IOException {
    Matcher health = HEALTH.matcher(output);
    if (!health.find()) {
      return false;
    }
    HttpURLConnection request =
        (HttpURLConnection) URI.create(health.group(1) + "/readyz").toURL().openConnection();
    request.setReadTimeout((int) LIMIT.toMillis());
    return request.getResponseCode() == HttpURLConnection.HTTP_OK;
  }

  private static void await(Launcher run, String text) throws IOException {
    run.await(text, LIMIT, () -> run.output().contains(text));
  }
}
