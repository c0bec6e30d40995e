// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.fixture.RecordingServer;
import dev.coxswain.k8s.fixture.TlsServer;
import dev.coxswain.k8s.fixture.TunnelProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests take the way that a kubeconfig or the environment names, and no other one. */
class RouteTest {

  private static final Duration NEVER = Duration.ofHours(1);

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

  @AfterEach
  void acceptAll() {
    server.refuse("nobody");
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private String authority() {
    return ", certificate-authority-data: " + base64(server.authority());
  }

  private Kubernetes open(
      String url, String cluster, String user, Map<String, String> environment, Duration period)
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("config"),
            """
            current-context: c
            contexts: [{name: c, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: '%s'%s}}]
            users: [{name: u, user: %s}]
            """
                .formatted(url, cluster, user));
    return Kubernetes.of(
        KubeconfigAccess.of(List.of(file), environment, period),
        KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofSeconds(60)));
  }

  private static void requests(Kubernetes k8s) {
    assertThat(k8s.serverVersion()).isEqualTo("v1.36.0");
    for (ApiTransport each :
        List.of(
            KubernetesRuntime.of(k8s).transport(),
            KubernetesRuntime.of(k8s).transport().guardedBy(WriteGuard.OPEN))) {
      each.write("POST", "/api/v1/pods", Map.of(), new JsonObject(), ApiTransport.JSON);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http, false, CONNECT, ''", "http, true, CONNECT, ' Basic dTpwQHNz'",
    "https, false, CONNECT, ''", "https, true, CONNECT, ' Basic dTpwQHNz'",
    "socks5, false, SOCKS, ''", "socks5, true, SOCKS, ' u:p@ss'"
  })
  void readsAndWrites_goThroughTheProxy(
      String scheme, boolean authentication, String way, String user) throws IOException {
    String target = "kubernetes.default:6443"; // only the proxy knows where that is
    try (TunnelProxy proxy =
        scheme.equals("https")
            ? new TunnelProxy(server.socket(), server.port())
            : TunnelProxy.plain(server.port())) {
      String cluster =
          authority()
              + ", proxy-url: '%s://%s127.0.0.1:%d'"
                  .formatted(scheme, authentication ? "u:p%40ss@" : "", proxy.port());
      if (authentication) {
        proxy.demandsAuthentication();
      }
      try (Kubernetes k8s =
          open("https://" + target, cluster, "{token: t}", Map.of("NO_PROXY", "*"), NEVER)) {
        requests(k8s);
      }
      assertThat(proxy.tunnels()).isNotEmpty().containsOnly(way + " " + target + user);
      assertThat(server.lastAuthorization()).isEqualTo("Bearer t");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "socks5"})
  void aProxyThatDemandsAPassword_isNamed_andNothingGoesAroundIt(String scheme) throws IOException {
    try (TunnelProxy proxy = TunnelProxy.plain(server.port()).demandsAuthentication();
        Kubernetes k8s =
            open(
                server.url(),
                authority() + ", proxy-url: '" + scheme + "://127.0.0.1:" + proxy.port() + "'",
                "{}",
                Map.of(),
                NEVER)) {
      assertThatThrownBy(k8s::serverVersion)
          .isInstanceOf(ApiStatusException.class)
          .hasMessageContaining("uthenti");
    }
  }

  @Test
  void aPlainServer_isRequestedFromTheProxy_withThePasswordAtOnce() throws IOException {
    try (RecordingServer proxy = new RecordingServer();
        Kubernetes k8s =
            open(
                "http://kubernetes.default:8080",
                ", proxy-url: 'http://u:p@127.0.0.1:" + proxy.port() + "'",
                "{}",
                Map.of(),
                NEVER)) {
      requests(k8s);
      assertThat(proxy.targets()).first().isEqualTo("GET http://kubernetes.default:8080/version");
      assertThat(proxy.targets()).hasSize(3);
      assertThat(proxy.all("Proxy-Authorization")).containsOnly(List.of("Basic dTpw"));
    }
  }

  @Test
  void theProxyOfTheEnvironment_isUsed_unlessTheFileOrNoProxySaysOtherwise() throws IOException {
    try (TunnelProxy proxy = TunnelProxy.plain(server.port())) {
      Map<String, String> environment =
          Map.of("HTTPS_PROXY", "127.0.0.1:" + proxy.port(), "no_proxy", ".example.com");
      String url = "https://kubernetes.default:6443";
      try (Kubernetes k8s = open(url, authority(), "{}", environment, NEVER)) {
        requests(k8s);
      }
      int used = proxy.tunnels().size();
      assertThat(used).isPositive();
      try (Kubernetes k8s = open(server.url(), authority(), "{}", environment, NEVER)) {
        requests(k8s); // of the loopback interface
      }
      assertThat(proxy.tunnels()).hasSize(used);
      // In a pod, too.
      Path account = Files.createDirectory(folder.resolve("account"));
      Files.writeString(account.resolve("ca.crt"), server.authority());
      Files.writeString(account.resolve("token"), "t");
      Map<String, String> pod =
          Map.of(
              "KUBERNETES_SERVICE_HOST",
              "kubernetes.default",
              "HTTPS_PROXY",
              "http://127.0.0.1:" + proxy.port());
      try (Kubernetes k8s =
          Kubernetes.of(
              AuthenticatedAccess.inCluster(account, pod, NEVER), KubernetesOptions.DEFAULT)) {
        requests(k8s);
      }
      assertThat(proxy.tunnels()).last().isEqualTo("CONNECT kubernetes.default:443");
    }
  }

  @Test
  void theNameOfTheServer_isThatOfTheFile() throws IOException {
    String url = "https://localhost:" + server.port();
    try (Kubernetes k8s =
        open(url, authority() + ", tls-server-name: kubernetes.default", "{}", Map.of(), NEVER)) {
      requests(k8s);
      assertThat(server.lastServerName()).isEqualTo("kubernetes.default");
    }
    for (String name : List.of("", ", tls-server-name: other.example.com")) {
      try (Kubernetes k8s = open(url, authority() + name, "{}", Map.of(), NEVER)) {
        assertThatThrownBy(k8s::serverVersion)
            .isInstanceOf(ApiStatusException.class)
            .hasMessageContaining("certificate-authority");
      }
    }
  }

  @Test
  void anUnknownCertificate_isAcceptedOnlyWhenTheFileSaysSo() throws IOException {
    String url = "https://localhost:" + server.port();
    try (Kubernetes k8s = open(url, "", "{token: early}", Map.of(), NEVER)) {
      assertThatThrownBy(k8s::serverVersion).isInstanceOf(ApiStatusException.class);
      assertThat(server.lastAuthorization()).isNotEqualTo("Bearer early");
    }
    try (Kubernetes k8s =
        open(url, ", insecure-skip-tls-verify: true", "{token: t}", Map.of(), NEVER)) {
      requests(k8s);
    }
  }

  private String certificateFiles(String certificate, String key) throws IOException {
    Files.writeString(folder.resolve("both.pem"), key + certificate);
    return "{client-certificate: both.pem, client-key: both.pem}";
  }

  @Test
  void aClientCertificate_mayBeRotated() throws IOException {
    String user = certificateFiles(server.clientCertificate(), server.clientKey());
    try (Kubernetes k8s = open(server.url(), authority(), user, Map.of(), Duration.ZERO)) {
      requests(k8s);
      assertThat(server.lastPeer()).isEqualTo("CN=client");
      certificateFiles(server.secondCertificate(), server.clientKey()); // not both at once
      k8s.serverVersion();
      assertThat(server.lastPeer()).isEqualTo("CN=client");
      certificateFiles(server.secondCertificate(), server.secondKey());
      requests(k8s);
      assertThat(server.lastPeer()).isEqualTo("CN=second");
    }
  }

  @Test
  void aCertificateWithAnotherKey_isRefusedAtTheStart() throws IOException {
    String user = certificateFiles(server.clientCertificate(), server.secondKey());
    assertThatThrownBy(() -> open(server.url(), authority(), user, Map.of(), NEVER))
        .hasMessageContaining("both.pem")
        .hasMessageContaining("the key is not that of the certificate");
  }

  @Test
  void certificatesOfAPlugin_arePresented_andRenewedWhenTheyAreRefused() throws IOException {
    for (String name : List.of("client", "second")) {
      boolean first = name.equals("client");
      JsonObject status = new JsonObject();
      status.addProperty(
          "clientCertificateData", first ? server.clientCertificate() : server.secondCertificate());
      status.addProperty("clientKeyData", first ? server.clientKey() : server.secondKey());
      JsonObject credential = new JsonObject();
      credential.addProperty("apiVersion", "client.authentication.k8s.io/v1beta1");
      credential.addProperty("kind", "ExecCredential");
      credential.add("status", status);
      Files.writeString(folder.resolve(name), credential.toString());
    }
    String script = "cat '%s/client'; cp '%s/second' '%s/client'".replace("%s", folder.toString());
    String user =
        "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: sh, args: [-c, \"%s\"]}}"
            .formatted(script);
    try (Kubernetes k8s = open(server.url(), authority(), user, Map.of(), NEVER)) {
      requests(k8s);
      assertThat(server.lastPeer()).isEqualTo("CN=client");
      server.refuse("CN=client");
      requests(k8s);
      assertThat(server.lastPeer()).isEqualTo("CN=second");
    }
  }
}
