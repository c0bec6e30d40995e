// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A replica of its own process, in which as many attempts as there are processors compute or block
 * in native code for ever, two of each processor.
 */
@SuppressWarnings("NullAway.Init") // its test begins with start()
class HeldCarriersIT {

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration NAMED_WITHIN = Duration.ofSeconds(60);
  private static final int ATTEMPTS = 2 * Runtime.getRuntime().availableProcessors();

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private Launcher replica;

  @AfterEach
  void close() {
    replica.close();
    http.close();
    kubernetes.close();
    server.close();
  }

  @Test
  void anotherController_leaseAndAdminApiGoOn_andTheCulpritIsNamed() throws Exception {
    start();
    String admin =
        "http://127.0.0.1:" + await("the admin API", "admin API listening .*port=(\\d+)");
    String health = await("health", "listening .*server=health url=(\\S+)");
    create(ChangingController.NAME, 0);
    await("the other controller", "ATTEMPT changing-0 ");
    for (int i = 0; i < ATTEMPTS; i++) {
      create(HoldingController.NAME, i);
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      await("attempt " + i, HoldingController.BEGUN + HoldingController.NAME + "-" + i + "\n");
    }

    long begin = System.nanoTime();
    String url = admin + "/api/v1/controllers/" + HoldingController.NAME;
    replica.await("the condition", LIMIT, () -> get(url).body().contains("carriersBlocked"));
    await("the log", "HoldingController.hold");
    Duration named = Duration.ofNanos(System.nanoTime() - begin);
    System.out.println("named after " + named.toMillis() + " ms");
    assertThat(named).isLessThan(NAMED_WITHIN);
    assertThat(get(url).body()).contains("HoldingController", "default/holding");

    create(ChangingController.NAME, 1);
    await("the other controller", "ATTEMPT changing-1 ");
    for (int i = 0; i < 2; i++) {
      String before = renewed();
      replica.await("a renewal of the Lease", LIMIT, () -> !renewed().equals(before));
    }
    assertThat(get(health + "/livez").statusCode()).isEqualTo(200);
    assertThat(get(admin + "/api/v1/controllers/changing").body())
        .doesNotContain("carriersBlocked");
  }

  private void start() throws IOException {
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    Path classes =
        Plugins.folder(
            folder,
            ChangingController.class,
            List.of(ChangingController.class.getName(), HoldingController.class.getName()));
    Plugins.add(classes, HoldingController.class);
    Plugins.add(classes, AttemptLines.class);
    replica =
        Launcher.start(
            folder,
            Distribution.withFreePorts(
                Map.of(
                    "COXSWAIN_CLASSPATH",
                    classes.toString(),
                    "COXSWAIN_ADMIN__AUTH__MODE",
                    "none")),
            "run",
            "--kubeconfig",
            kubeconfig.toString());
  }

  private void create(String controller, int number) {
    kubernetes
        .resource(V1ConfigMap.class)
        .create(
            new V1ConfigMap()
                .metadata(
                    new V1ObjectMeta()
                        .namespace("default")
                        .name(controller + "-" + number)
                        .putLabelsItem("for", controller))
                .putDataItem(ChangingController.COUNT, "0"));
  }

  private String renewed() {
    return kubernetes
        .resource(V1Lease.class)
        .get(new Request("default", "coxswain-replica-0"))
        .map(lease -> String.valueOf(Objects.requireNonNull(lease.getSpec()).getRenewTime()))
        .orElseThrow();
  }

  private HttpResponse<String> get(String url) throws IOException {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Returns the first group of the pattern, or the whole match. */
  private String await(String what, String pattern) throws IOException {
    String[] found = new String[1];
    replica.await(
        what,
        LIMIT,
        () -> {
          Matcher matcher = Pattern.compile(pattern).matcher(replica.output());
          if (matcher.find()) {
            found[0] = matcher.group(matcher.groupCount());
          }
          return found[0] != null;
        });
    return found[0];
  }
}
