// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.controller.LeadingController;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a start does not load. Each of these costs a start between a fiftieth and a third of a second
 * of processor time, and comes back with one innocent reference.
 */
class StartClassesIT {

  private static final Duration LIMIT = Duration.ofSeconds(100);

  /** The table of {@code --start-timeline} ends with it. */
  private static final String READY = "  ready\n";

  @TempDir private Path folder;

  @Test
  void aStartWithoutOptionalParts_loadsNoClassOfThem() throws Exception {
    Path log = folder.resolve("classes.log");
    Path classes =
        Plugins.folder(folder, LeadingController.class, List.of(LeadingController.class.getName()));
    Map<String, String> environment = new HashMap<>();
    environment.put("COXSWAIN_CLASSPATH", classes.toString());
    // Without the start cache, in which the JVM has classes ready that nothing asks for.
    environment.put("COXSWAIN_JAVA_OPTS", "-Xshare:auto -Xlog:class+load:file=" + log);
    for (String key : List.of("ADMIN", "METRICS", "HEALTH")) {
      environment.put("COXSWAIN_" + key + "__PORT", "0");
    }
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
      try (Launcher run =
          Launcher.start(
              folder,
              environment,
              "run",
              "--kubeconfig",
              kubeconfig.toString(),
              "--start-timeline")) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!run.errors().endsWith(READY)) {
          assertThat(run.handle().isAlive()).as(run.errors() + run.output()).isTrue();
          assertThat(System.nanoTime() - end).as(run.output()).isNegative();
          LockSupport.parkNanos(20_000_000);
        }
        run.terminate();
        assertThat(run.exitCode()).as(run.errors()).isZero();
      }
    }
    assertThat(Files.readString(log))
        .contains("dev.coxswain.host.internal.Host ")
        // The official client registers the JSON form of its 780 models.
        .doesNotContain("io.kubernetes.client.openapi.JSON ")
        .doesNotContain("io.kubernetes.client.openapi.ApiClient ")
        // Its jars are signed, which the JVM checks at the first class.
        .doesNotContain("org.bouncycastle.")
        // Without a shared limiter, traces, plug-ins and webhooks.
        .doesNotContain("com.hazelcast.")
        .doesNotContain("io.opentelemetry.")
        .doesNotContain("dev.coxswain.host.internal.plugins.")
        .doesNotContain("dev.coxswain.host.internal.webhooks.WebhookServer ")
        // Netty records events of its buffers.
        .doesNotContain("jdk.jfr.events.");
  }
}
