// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way into a cluster, with a kubectl that writes down how it was called. */
class PodEndpointTest {

  @TempDir private Path folder;

  @Test
  void aReadyPodIsTaken_aPortForwarded_aTokenRequested() throws IOException {
    try (PodEndpoint route = route("oncall")) {
      assertThat(route.servers()).hasToString("[http://127.0.0.1:40001]");
      assertThat(route.servers()).as("forwarded once").hasToString("[http://127.0.0.1:40001]");
      assertThat(route.token()).isEqualTo("token-of-oncall");
    }
    assertThat(calls())
        .containsExactly(
            "--kubeconfig k --context c get pods -n hosts -l app.kubernetes.io/name=coxswain -o json",
            "--kubeconfig k --context c port-forward -n hosts pod/coxswain-b :8090 --address 127.0.0.1",
            "--kubeconfig k --context c create token oncall -n hosts --audience coxswain-admin --duration 10m");
  }

  @Test
  void whenAPodIsLost_anotherOneIsTaken_andTheOldForwardingEnds() throws IOException {
    try (PodEndpoint route = route("oncall")) {
      route.servers();
      assertThat(route.renew()).isTrue();
      assertThat(route.servers()).hasToString("[http://127.0.0.1:40001]");
    }
    assertThat(calls().getLast()).contains("pod/coxswain-c");
    ProcessHandle.current()
        .children()
        .filter(child -> child.info().command().orElse("").endsWith("sleep"))
        .forEach(child -> child.onExit().orTimeout(60, TimeUnit.SECONDS).join());
  }

  @Test
  void withoutAServiceAccount_theMessageNamesTheMissingPart() throws IOException {
    try (PodEndpoint route = route(null)) {
      assertThatThrownBy(route::token).hasMessageContaining("--service-account", "--token-file");
    }
  }

  @Test
  void whatKubectlComplainsOf_isPassedOn() throws IOException {
    try (PodEndpoint route = route("nobody")) {
      assertThatThrownBy(route::token)
          .hasMessage("kubectl create failed: error: serviceaccounts \"nobody\" not found");
    }
  }

  @Test
  void withoutKubectl_theMessageNamesTheRemedy() {
    Kubectl none = new Kubectl(folder.resolve("none").toString(), null, null, Kubectl.PATIENCE);
    assertThatThrownBy(() -> none.run("version"))
        .hasMessageContaining("kubectl, which is needed")
        .hasMessageContaining("give --server and a token instead");
  }

  private PodEndpoint route(@Nullable String serviceAccount) throws IOException {
    Path script = folder.resolve("kubectl");
    Files.writeString(
        script,
        """
        #!/bin/sh
        echo "$@" >> '%1$s/calls'
        case "$*" in
          *'get pods'*)
            pod() { printf '{"metadata":{"name":"%%s"%%s},"status":{"conditions":[{"type":"Ready","status":"%%s"}]}}' "$1" "$2" "$3"; }
            printf '{"items":[%%s,%%s,%%s,%%s]}' "$(pod coxswain-a '' False)" "$(pod coxswain-b '' True)" \\
              "$(pod coxswain-going ',"deletionTimestamp":"x"' True)" "$(pod coxswain-c '' True)" ;;
          *port-forward*)
            echo 'Forwarding from 127.0.0.1:40001 -> 8090'
            exec sleep 600 ;;
          *'token nobody'*) echo 'error: serviceaccounts "nobody" not found' >&2; exit 1 ;;
          *'create token'*) echo token-of-oncall ;;
        esac
        """
            .formatted(folder));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return new PodEndpoint(
        new Kubectl(script.toString(), "k", "c", Kubectl.PATIENCE),
        new PodEndpoint.Settings(
            "hosts",
            "app.kubernetes.io/name=coxswain",
            8090,
            false,
            serviceAccount,
            "coxswain-admin"),
        null);
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(folder.resolve("calls"));
  }
}
