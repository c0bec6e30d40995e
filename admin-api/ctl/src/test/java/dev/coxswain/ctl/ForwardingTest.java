// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.Kubectl;
import dev.coxswain.ctl.internal.client.PodEndpoint;
import dev.coxswain.ctl.internal.client.Tls;
import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A way into a cluster that breaks, and what the real kubectl makes of our calls. */
class ForwardingTest {

  private static final String EMPTY = "{\"kind\":\"LimiterList\",\"items\":[]}";

  @TempDir private Path folder;
  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner();

  ForwardingTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aForwardingThatDiesInTheMiddle_isNamed() throws IOException {
    server.on("GET /limiters", new FakeAdminApi.Reply(200, Map.of(), "{\"items\":[", true));
    String dies = "echo 'error: lost connection to pod' >&2; exit 1";
    try (AdminClient client = client(forwarding(server.url(), dies))) {
      assertThatThrownBy(() -> client.get("/limiters"))
          .hasMessageStartingWith("the connection to the admin API at " + server.url())
          .hasMessageEndingWith(
              "kubectl port-forward to pod coxswain-a has ended: error: lost connection to pod");
    }
  }

  /** Nothing was sent through it, so even a change may go another way. */
  @Test
  void aForwardingThatIsGone_isMadeAnewOnce() throws IOException {
    server.on("PUT /limiters/default/override", 200, EMPTY);
    String gone =
        "[ -e '%1$s/again' ] || { touch '%1$s/again'; echo 'Forwarding from 127.0.0.1:1 -> 8090'; exit 1; }; %2$s"
            .formatted(folder, forwarding(server.url(), "exec sleep 600"));
    try (AdminClient client = client(gone)) {
      client.change("PUT", "/limiters/default/override", Json.object("reason", "x"), Map.of());
    }
    assertThat(server.requests()).containsExactly("PUT /limiters/default/override");
    assertThat(ctl.errors()).contains("port-forward to pod coxswain-a has ended");
  }

  @Test
  void aForwardingThatKeepsDying_isAnError() throws IOException {
    try (AdminClient client = client(forwarding("http://127.0.0.1:1", "exit 1"))) {
      assertThatThrownBy(() -> client.get("/limiters")).hasMessageContaining("cannot be reached");
    }
  }

  @Test
  void aPortForwardWithoutOutput_timesOut() throws IOException {
    Kubectl kubectl =
        new Kubectl(script("exec sleep 600").toString(), null, null, Duration.ofMillis(300));
    assertThatThrownBy(() -> kubectl.begin("port-forward"))
        .hasMessageContaining("kubectl port-forward printed nothing for");
    assertThatThrownBy(() -> kubectl.run("port-forward"))
        .hasMessageContaining("did not end within");
    ProcessHandle.current()
        .children()
        .filter(child -> child.info().command().orElse("").endsWith("sleep"))
        .forEach(child -> child.onExit().orTimeout(60, TimeUnit.SECONDS).join());
  }

  @Test
  void theRealKubectl_readsTheContext_andAsksForATokenForTheAdminApiAlone() throws Exception {
    assumeTrue(installed(), "kubectl is not installed, so nothing is tried with it");
    server.on(
        "POST /namespaces/hosts/serviceaccounts/oncall/token",
        201,
        """
        {"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{"name":"oncall"},\
        "spec":{"audiences":["coxswain-admin"],"expirationSeconds":600},\
        "status":{"token":"token-of-oncall","expirationTimestamp":"2026-11-20T10:10:00Z"}}\
        """);
    Path config =
        Files.writeString(
            folder.resolve("config"),
            """
            {apiVersion: v1, kind: Config, current-context: b,
             clusters: [{name: here, cluster: {server: "%s"}}],
             contexts: [{name: a, context: {cluster: here, user: me}},
               {name: b, context: {cluster: here, user: me, namespace: hosts}}],
             users: [{name: me, user: {}}]}
            """
                .formatted(server.url()));
    try (PodEndpoint route =
        route(new Kubectl("kubectl", config.toString(), null, Kubectl.PATIENCE))) {
      assertThat(route.itemNamespace()).isEqualTo("hosts");
      assertThat(route.token()).isEqualTo("token-of-oncall");
    }
    assertThat(server.received().getLast().body()).contains("coxswain-admin"); // in a binary format
    try (PodEndpoint route =
        route(new Kubectl("kubectl", config.toString(), "a", Kubectl.PATIENCE))) {
      assertThat(route.itemNamespace()).isEqualTo("default");
    }
    try (PodEndpoint route =
        new PodEndpoint(
            new Kubectl("kubectl", config.toString(), null, Kubectl.PATIENCE),
            new PodEndpoint.Settings(
                "hosts", "app.kubernetes.io/name=coxswain", 8090, false, "nobody", "x"),
            null)) {
      assertThatThrownBy(route::token).hasMessageContaining("kubectl create failed: error: ");
    }
    try (PodEndpoint route =
        route(new Kubectl("kubectl", config.toString(), "c", Kubectl.PATIENCE))) {
      assertThatThrownBy(route::itemNamespace).hasMessageContaining("no host was found");
    }
  }

  private static String forwarding(String url, String then) {
    return "echo 'Forwarding from %s -> 8090'; %s".formatted(url.replace("http://", ""), then);
  }

  private AdminClient client(String portForward) throws IOException {
    String pod =
        "{\"metadata\":{\"name\":\"coxswain-a\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}";
    Path script =
        script(
            """
            case "$*" in
              *'get pods'*) echo '{"items":[%s]}' ;;
              *port-forward*) %s ;;
              *) echo token-of-oncall ;;
            esac
            """
                .formatted(pod, portForward));
    return new AdminClient(
        route(new Kubectl(script.toString(), null, null, Kubectl.PATIENCE)),
        new AdminClient.Settings(new Tls(null, false), Duration.ofSeconds(30), Map.of()),
        ctl.console());
  }

  private Path script(String body) throws IOException {
    Path script = Files.writeString(folder.resolve("kubectl"), "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }

  private static PodEndpoint route(Kubectl kubectl) {
    return new PodEndpoint(
        kubectl,
        new PodEndpoint.Settings(
            "hosts", "app.kubernetes.io/name=coxswain", 8090, false, "oncall", "coxswain-admin"),
        null);
  }

  private static boolean installed() throws InterruptedException {
    try {
      return new ProcessBuilder("kubectl", "version", "--client").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
