// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.ListOptions;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The storm at a cluster that it does not own; a server in another process stands for it. */
class RealClusterIT {

  private static final long SEED = Long.getLong("coxswain.seed", 20_261_121);
  private static final int OBJECTS = 200;

  @TempDir Path folder;

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES) // every wait inside has its own limit
  void storm_ofAKubeconfig_saysWhatItSkippedAndLeavesNothing() throws IOException {
    try (ServerProcess server = ServerProcess.start(folder)) {
      List<String> before = names(server);
      StormRun run = new StormRun(new StormRun.Size(SEED, 5, OBJECTS, 100));
      run.at(KubeconfigCluster.of(server.kubeconfig(), ""));

      String output = String.join("\n", run.lines());
      assertThat(run.passed()).as(output).isTrue();
      for (StormFault fault : StormFault.values()) {
        assertThat(output).contains("SKIP  fault " + fault + ": needs");
      }
      assertThat(output)
          .contains("SKIP  law \"no watch leaked\": ")
          .contains("SKIP  law \"no watch is left after the stop\": ")
          .contains("after the storm: PASS  every acknowledged write is on the server")
          .contains("PASS  no cache is left after the stop")
          .contains("PASS  memory returned to its level")
          .doesNotContain("PASS  no watch");
      assertThat(names(server)).as("namespaces and definitions").isEqualTo(before);
    }
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES) // every wait inside has its own limit
  void storm_thatBreaksOff_leavesNothing() throws IOException {
    try (ServerProcess server = ServerProcess.start(folder)) {
      List<String> before = names(server);
      KubeconfigCluster cluster = KubeconfigCluster.of(server.kubeconfig(), "");
      assertThatThrownBy(() -> breakOff(cluster)).hasMessage("breaks off");
      assertThat(names(server)).as("namespaces and definitions").isEqualTo(before);
    }
  }

  /** Half of the objects have finalizers then, and no controller is left to remove them. */
  private static void breakOff(KubeconfigCluster cluster) {
    try (Storm storm = new Storm(cluster, Fleet.ofSeed(SEED), OBJECTS, SEED, line -> {})) {
      storm.install();
      storm.start();
      assertThat(storm.calm().lines()).allMatch(line -> line.startsWith("PASS"));
      throw new IllegalStateException("breaks off");
    }
  }

  private static List<String> names(ServerProcess server) throws IOException {
    List<String> names = new ArrayList<>();
    try (Kubernetes k8s =
        Kubernetes.fromKubeconfig(server.kubeconfig(), KubernetesOptions.DEFAULT)) {
      var namespaces = k8s.resource(V1Namespace.class);
      namespaces.list(ListOptions.ALL).forEach(one -> names.add(namespaces.key(one).name()));
      var definitions = k8s.resource(Installation.DEFINITIONS);
      definitions.list(ListOptions.ALL).forEach(one -> names.add(definitions.key(one).name()));
    }
    return names;
  }

  @Test
  void clusterElsewhere_notConfirmed_isRefused() throws IOException {
    Path file = kubeconfig("https://prod.example.com:6443");
    assertThatThrownBy(() -> KubeconfigCluster.of(file, "other.example.com"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("https://prod.example.com:6443")
        .hasMessageContaining("-Dcoxswain.it.confirm=prod.example.com")
        .hasMessageContaining("found: \"other.example.com\"");
  }

  @Test
  void clusterElsewhere_confirmed_isUsed() throws IOException {
    Path file = kubeconfig("https://prod.example.com:6443");
    assertThatCode(() -> KubeconfigCluster.of(file, "prod.example.com")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:1", "http://127.0.0.2:1", "https://[::1]:1"})
  void clusterOfThisMachine_needsNoConfirmation(String address) throws IOException {
    Path file = kubeconfig(address);
    assertThatCode(() -> KubeconfigCluster.of(file, "")).doesNotThrowAnyException();
  }

  private Path kubeconfig(String address) throws IOException {
    return Files.writeString(
        folder.resolve("elsewhere"),
        """
        apiVersion: v1
        kind: Config
        current-context: c
        clusters: [{name: c, cluster: {server: "%s"}}]
        contexts: [{name: c, context: {cluster: c, user: u}}]
        users: [{name: u, user: {token: t}}]
        """
            .formatted(address));
  }
}
