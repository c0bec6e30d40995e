// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.fixture.TlsServer;
import dev.coxswain.k8s.internal.access.AuthenticatedAccess;
import dev.coxswain.k8s.internal.access.KubeconfigAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server with certificates of a private authority. */
class CredentialsTest {

  private static final Duration AT_ONCE = Duration.ZERO;

  @TempDir static Path keys;
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // before all tests
  private static TlsServer server;

  @BeforeAll
  static void start() {
    server = TlsServer.start(keys);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String base64(String text) {
    return Base64.getEncoder()
        .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private Path kubeconfig(String authority, String user) throws IOException {
    return server.kubeconfig(folder, authority, user);
  }

  private static ServerAccess access(Path file, Duration period) throws IOException {
    return KubeconfigAccess.of(List.of(file), Map.of(), period);
  }

  private static String version(ServerAccess client) {
    try (Kubernetes k8s = Kubernetes.of(client, KubernetesOptions.DEFAULT)) {
      return k8s.serverVersion();
    }
  }

  @Test
  void privateAuthority_isTrusted_whenItIsTheConfiguredOne() throws IOException {
    Path config = kubeconfig(server.authority(), "{token: secret}");

    try (Kubernetes k8s = Kubernetes.fromKubeconfig(config, KubernetesOptions.DEFAULT)) {
      assertThat(k8s.serverVersion()).isEqualTo("v1.36.0");
    }
    assertThat(server.lastAuthorization()).isEqualTo("Bearer secret");
  }

  @Test
  void anotherAuthority_isRefused_andTheMessageSaysWhereToLook() throws IOException {
    ServerAccess client = access(kubeconfig(server.anotherAuthority(), "{token: secret}"), AT_ONCE);

    assertThatThrownBy(() -> version(client))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue())
        .hasMessageContaining("127.0.0.1")
        .hasMessageContaining("certificate-authority")
        .hasMessageNotContaining("secret");
  }

  @Test
  void clientCertificate_isShown() throws IOException {
    ServerAccess client =
        access(
            kubeconfig(
                server.authority(),
                "{client-certificate-data: %s, client-key-data: %s}"
                    .formatted(base64(server.clientCertificate()), base64(server.clientKey()))),
            AT_ONCE);

    assertThat(version(client)).isEqualTo("v1.36.0");
    assertThat(server.lastPeer()).contains("CN=client");
  }

  private Path account() throws IOException {
    Path account = Files.createDirectory(folder.resolve("account"));
    Files.writeString(account.resolve("ca.crt"), server.authority());
    Files.writeString(account.resolve("token"), "first");
    return account;
  }

  private static Map<String, String> pod() {
    return Map.of(
        "KUBERNETES_SERVICE_HOST",
        "127.0.0.1",
        "KUBERNETES_SERVICE_PORT",
        Integer.toString(server.port()));
  }

  @Test
  void serviceAccount_leadsToTheServer_andItsTokenMayBeRotated() throws IOException {
    Path account = account();
    ServerAccess client = AuthenticatedAccess.inCluster(account, pod(), AT_ONCE);
    assertThat(version(client)).isEqualTo("v1.36.0");
    assertThat(server.lastAuthorization()).isEqualTo("Bearer first");

    Files.writeString(account.resolve("token"), "second\n");
    version(client);
    assertThat(server.lastAuthorization()).isEqualTo("Bearer second");
  }

  @Test
  void outsideOfAPod_whatIsMissingIsNamed() throws IOException {
    Path account = account();
    assertThatThrownBy(() -> AuthenticatedAccess.inCluster(account, Map.of(), AT_ONCE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("KUBERNETES_SERVICE_HOST");

    Files.delete(account.resolve("token"));
    assertThatThrownBy(() -> AuthenticatedAccess.inCluster(account, pod(), AT_ONCE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(account.toString())
        .hasMessageContaining("not mounted");
  }
}
