// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingServer;
import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.k8s.internal.route.ServerRoute;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plug-ins are real programs; a failing one is an error, never an anonymous request. */
class ExecPluginTest {

  private static final String V1 = "client.authentication.k8s.io/v1";
  private static final Duration NEVER = Duration.ofHours(1);
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private final RecordingServer server = new RecordingServer();

  @AfterEach
  void close() {
    server.close();
  }

  private void script(String body) throws IOException {
    Path file = Files.writeString(folder.resolve("p.sh"), "#!/bin/sh\n" + body + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private static String credential(String status) {
    return "printf '%s' '{\"apiVersion\":\""
        + V1
        + "\",\"kind\":\"ExecCredential\",\"status\":{"
        + status
        + "}}'";
  }

  /** Counts its runs and issues another token each time. */
  private void counting(String before) throws IOException {
    script(
        "echo x >> '%s'; n=$(wc -l < '%s' | tr -d ' ')\n%s\n"
                .formatted(folder.resolve("runs"), folder.resolve("runs"), before)
            + credential("\"token\":\"t#\"").replace("#", "'$n'"));
  }

  private int runs() throws IOException {
    Path runs = folder.resolve("runs");
    return Files.exists(runs) ? Files.readAllLines(runs).size() : 0;
  }

  private Path config(String exec, String cluster) throws IOException {
    return Files.writeString(
        folder.resolve("config"),
        """
        current-context: c
        contexts: [{name: c, context: {cluster: c, user: u}}]
        clusters:
        - name: c
          cluster: {server: '%s'%s}
        users: [{name: u, user: {exec: {apiVersion: %s, command: ./p.sh%s}}}]
        """
            .formatted(server.url(), cluster, V1, exec));
  }

  private Kubernetes open(String exec, String cluster) throws IOException {
    return Kubernetes.of(
        KubeconfigAccess.of(List.of(config(exec, cluster)), Map.of(), NEVER),
        KubernetesOptions.DEFAULT.withCallTimeout(LONG));
  }

  @Test
  void argumentsAndVariables_reachThePlugin_andOneRunServesAllRequests() throws IOException {
    script(
        "echo x >> '"
            + folder.resolve("runs")
            + "'\n"
            + credential("\"token\":\"#\"").replace("#", "'$X-$1'"));
    try (Kubernetes k8s =
        open(", args: [a, b], env: [{name: X, value: y}], interactiveMode: IfAvailable", "")) {
      k8s.serverVersion();
      k8s.serverVersion();
    }
    assertThat(server.all("Authorization"))
        .containsExactly(List.of("Bearer y-a"), List.of("Bearer y-a"));
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void information_hasTheClusterOnlyWhenWanted_andNoTerminal() throws IOException {
    Path info = folder.resolve("info");
    script(
        "printf '%s' \"$KUBERNETES_EXEC_INFO\" > '"
            + info
            + "'; [ -t 0 ] && exit 9; cat\n"
            + credential("\"token\":\"t\""));
    try (Kubernetes k8s = open("", "")) {
      k8s.serverVersion();
    }
    assertThat(Files.readString(info))
        .isEqualTo(
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\""
                + V1
                + "\",\"spec\":{\"interactive\":false}}");
    String authority = "Y2VydA==";
    String cluster =
        ", tls-server-name: n, certificate-authority-data: "
            + authority
            + ", disable-compression: true,"
            + " extensions: [{name: other, extension: 1}, {name: client.authentication.k8s.io/exec,"
            + " extension: {audience: a, number: 7}}]";
    try (Kubernetes k8s = open(", provideClusterInfo: true", cluster)) {
      k8s.serverVersion();
    }
    JsonObject received =
        JsonParser.parseString(Files.readString(info))
            .getAsJsonObject()
            .getAsJsonObject("spec")
            .getAsJsonObject("cluster");
    assertThat(received)
        .isEqualTo(
            JsonParser.parseString(
                """
                {"server": "%s", "tls-server-name": "n", "certificate-authority-data": "%s",
                 "disable-compression": true, "config": {"audience": "a", "number": 7}}
                """
                    .formatted(server.url(), authority)));
    assertThat(server.last("Accept-Encoding")).containsExactly("identity");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "echo 'please log in' >&2; exit 3 | ended with exit code 3: please log in; get it",
        "echo 'token eyJhbGciOiJIUzI1NiJ9.secret and hidden-value' >&2; exit 1 | token *** and ***",
        "echo secret | printed something else than a JSON object",
        "exit 0 | printed something else than a JSON object",
        "echo '[\"secret\"]' | printed something else than a JSON object",
        "echo '{\"kind\":\"Secret\"}' | must print kind ExecCredential",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"status\":{\"token\":\"secret\"}}' | another apiVersion",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"}' | neither a token nor a client certificate",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"clientKeyData\":\"secret\"}}' | only one of",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"secret\",\"expirationTimestamp\":\"soon\"}}' | expirationTimestamp that is no time",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":7}}' | token that is no text",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"clientKeyData\":\"secret\",\"clientCertificateData\":\"c\"}}' | needs a server with https",
        "yes secret | printed more than 1048576 bytes and was killed",
      })
  void aPluginWithoutACredential_failsTheRequest_andNothingIsSent(String body, String message)
      throws IOException {
    script(body);
    try (Kubernetes k8s =
        open(", installHint: get it, env: [{name: H, value: hidden-value}]", "")) {
      assertThatThrownBy(k8s::serverVersion)
          .isInstanceOf(ApiStatusException.class)
          .hasMessageContaining("was not carried out")
          .hasMessageContaining("config, user \"u\": exec plug-in ./p.sh ")
          .hasMessageContaining(message)
          .hasMessageNotContaining("secret");
    }
    assertThat(server.targets()).isEmpty();
  }

  @Test
  void aPluginThatDoesNotEnd_isKilledAtItsLimit_withWhatItStarted() throws Exception {
    Path pids = folder.resolve("pids");
    script("sleep 1000 & echo $$ > '" + pids + "'; echo $! >> '" + pids + "'; wait");
    Path config = config("", "");
    KubeconfigSection user = Objects.requireNonNull(KubeconfigFiles.read(List.of(config)).user());
    KubeconfigSection exec = Objects.requireNonNull(user.section("exec"));
    ExecCommand command =
        ExecCommand.of(
            user,
            exec,
            new JsonObject(),
            new ServerRoute(server.url(), null, null),
            Duration.ofSeconds(3));

    assertThatThrownBy(command::run)
        .isInstanceOf(AccessException.class)
        .hasMessageContaining("exec plug-in ./p.sh did not end within 3000 ms and was killed");
    List<Long> started = Files.readAllLines(pids).stream().map(Long::valueOf).toList();
    assertThat(started).hasSize(2);
    Await.until(
        "the end of " + started,
        () ->
            started.stream()
                .noneMatch(pid -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)));
  }

  /**
   * The JDK closes the pipe of a process that has ended unless it is being read at that moment, so
   * the output is complete or the run is refused.
   */
  @Test
  void aPluginThatLeavesAProcessWithItsOutput_holdsUpNobody() throws IOException {
    Path pid = folder.resolve("pid");
    script("sleep 1000 & echo $! > '" + pid + "'\n" + credential("\"token\":\"t\""));
    try (Kubernetes k8s = open("", "")) {
      try {
        assertThat(k8s.serverVersion()).isEqualTo("v1.36.0");
        assertThat(server.all("Authorization")).containsExactly(List.of("Bearer t"));
      } catch (ApiStatusException e) {
        assertThat(e)
            .hasMessageContaining(
                "./p.sh has ended, but a process that it started holds its output");
        assertThat(server.targets()).isEmpty();
      }
    } finally {
      ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void manyRequests_waitForOneRun() throws Exception {
    Path go = folder.resolve("go");
    counting("while ! [ -e '" + go + "' ]; do sleep 0.05; done");
    try (Kubernetes k8s = open("", "");
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> requests = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        requests.add(threads.submit(k8s::serverVersion));
      }
      Await.until(
          "the run",
          () -> {
            try {
              return runs() == 1;
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      Files.createFile(go);
      for (Future<String> each : requests) {
        Await.until("a response", each::isDone);
        assertThat(each.get()).isEqualTo("v1.36.0");
      }
    }
    assertThat(runs()).isEqualTo(1);
    assertThat(server.all("Authorization")).hasSize(20).containsOnly(List.of("Bearer t1"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusedCredential_isRenewed_andTheRequestSentOnceMore(boolean usedBefore)
      throws IOException {
    counting("");
    try (Kubernetes k8s = open("", "")) {
      if (usedBefore) {
        k8s.serverVersion();
      }
      server.answers(exchange ->
          exchange.getRequestHeaders().getFirst("Authorization").equals("Bearer t1") ? 401 : 200);
      assertThat(k8s.serverVersion()).isEqualTo("v1.36.0");
    }
    assertThat(server.last("Authorization")).containsExactly("Bearer t2");
    assertThat(runs()).isEqualTo(2);
  }

  @Test
  void aServerThatRefusesAll_receivesEachRequestTwiceAtMost_andThePluginDoesNotRunEachTime()
      throws IOException {
    counting("");
    server.answers(_ -> 401);
    try (Kubernetes k8s = open("", "")) {
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(k8s::serverVersion)
            .isInstanceOfSatisfying(
                ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(401));
      }
    }
    assertThat(runs()).isEqualTo(2);
    assertThat(server.targets()).hasSize(6);
  }

  @Test
  void afterAFailedRenewal_theRequestSaysSo() throws IOException {
    counting("[ $n -gt 1 ] && { echo gone >&2; exit 4; }");
    try (Kubernetes k8s = open("", "")) {
      k8s.serverVersion();
      server.answers(_ -> 401);
      assertThatThrownBy(k8s::serverVersion).hasMessageContaining("exit code 4: gone");
    }
  }
}
