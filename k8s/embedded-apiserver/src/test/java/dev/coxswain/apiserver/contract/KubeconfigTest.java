// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.testing.SelfSigned;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a kubeconfig says is what the scenarios use, and what they cannot use is refused. */
final class KubeconfigTest {
  private static final int LIMIT_SECONDS = 60;

  @TempDir Path folder;

  @Test
  void authorityAndClientCertificate_asData_areUsed() throws Exception {
    Pair pair = Pair.create(folder, "ip:127.0.0.1");
    withServer(
        pair,
        port -> {
          Path file =
              write(
                  port,
                  "certificate-authority-data: " + base64(pair.certificate()),
                  "client-certificate-data: "
                      + base64(pair.certificate())
                      + ", client-key-data: "
                      + base64(pair.key()));
          try (ContractServer server = server(file)) {
            assertThat(server.get("/").body().path("hello").asText()).isEqualTo("CN=contract");
            assertThat(server.token()).isEmpty();
            assertThatThrownBy(() ->
                    server
                        .nobody()
                        .send(
                            java.net.http.HttpRequest.newBuilder(java.net.URI.create(server.url()))
                                .build(),
                            java.net.http.HttpResponse.BodyHandlers.discarding()))
                .as("without the certificate")
                .isInstanceOf(IOException.class);
          }
        });
  }

  @Test
  void authorityAndClientCertificate_asFilesBesideTheKubeconfig_areUsed() throws Exception {
    Pair pair = Pair.create(folder, "ip:127.0.0.1");
    Files.writeString(folder.resolve("ca.pem"), pair.certificate());
    Files.writeString(folder.resolve("key.pem"), pair.key());
    withServer(
        pair,
        port -> {
          Path file =
              write(
                  port,
                  "certificate-authority: ca.pem",
                  "client-certificate: ca.pem, client-key: key.pem");
          try (ContractServer server = server(file)) {
            assertThat(server.get("/").status()).isEqualTo(200);
          }
        });
  }

  @Test
  void serverOfAnUnknownAuthority_isTrustedOnlyWhenToldTo() throws Exception {
    Pair pair = Pair.create(folder, "dns:elsewhere.example.com");
    String user =
        "client-certificate-data: "
            + base64(pair.certificate())
            + ", client-key-data: "
            + base64(pair.key());
    withServer(
        pair,
        port -> {
          try (ContractServer server = server(write(port, "x: y", user))) {
            assertThatThrownBy(() -> server.get("/")).isInstanceOf(SSLException.class);
          }
          String authority = "certificate-authority-data: " + base64(pair.certificate());
          try (ContractServer server = server(write(port, authority, user))) {
            assertThatThrownBy(() -> server.get("/"))
                .as("the certificate is for another name")
                .isInstanceOf(SSLException.class);
          }
          String insecure = "insecure-skip-tls-verify: true";
          try (ContractServer server = server(write(port, insecure, user))) {
            assertThat(server.get("/").status()).isEqualTo(200);
          }
        });
  }

  @Test
  void tokenFile_winsOverTheTokenBesideIt() throws IOException {
    Files.writeString(folder.resolve("token"), "of-the-file\n");
    try (ContractServer server = server(write(1, "x: y", "token: inline, tokenFile: token"))) {
      assertThat(server.token()).contains("of-the-file");
    }
    try (ContractServer server = server(write(1, "x: y", "token: inline"))) {
      assertThat(server.token()).contains("inline");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "proxy-url: 'http://p', token: t, proxy-url, directly",
    "tls-server-name: n, token: t, tls-server-name, directly",
    "x: y, exec: {command: c}, exec, kubectl create token",
    "x: y, username: u, username, kubectl create token",
    "x: y, as: somebody, as, kubectl create token",
  })
  void whatIsNotUsed_isRefusedWithAHint(String cluster, String user, String field, String hint)
      throws IOException {
    Path file = write(1, cluster, user);
    assertThatThrownBy(() -> Kubeconfig.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + field + "\"")
        .hasMessageContaining(hint);
  }

  @Test
  void certificateWithoutKey_isRefused() throws IOException {
    Path file = write(1, "x: y", "client-certificate-data: eA==");
    assertThatThrownBy(() -> server(file)).hasMessageContaining("needs its key");
  }

  @Test
  void clusterElsewhere_isRefusedUntilConfirmed() throws IOException {
    Path file = write("https://prod.example.com:6443", "x: y", "token: t");
    assertThatThrownBy(() -> Kubeconfig.read(file).confirmedBy("other.example.com"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-Dcoxswain.it.confirm=prod.example.com")
        .hasMessageContaining("found: \"other.example.com\"");
    assertThatCode(() -> Kubeconfig.read(file).confirmedBy("prod.example.com"))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:1", "http://127.0.0.2:1", "https://[::1]:1/"})
  void clusterOfThisMachine_needsNoConfirmation(String address) throws IOException {
    Path file = write(address, "x: y", "token: t");
    assertThatCode(() -> Kubeconfig.read(file).confirmedBy("")).doesNotThrowAnyException();
  }

  private interface Use {
    void at(int port) throws Exception;
  }

  /** A server that asks for a certificate and answers whose it was. */
  private static void withServer(Pair pair, Use use) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      PemTrustOptions trusted =
          new PemTrustOptions().addCertValue(Buffer.buffer(pair.certificate()));
      PemKeyCertOptions shown =
          new PemKeyCertOptions()
              .addCertValue(Buffer.buffer(pair.certificate()))
              .addKeyValue(Buffer.buffer(pair.key()));
      HttpServer server =
          vertx
              .createHttpServer(
                  new HttpServerOptions()
                      .setSsl(true)
                      .setKeyCertOptions(shown)
                      .setTrustOptions(trusted)
                      .setClientAuth(ClientAuth.REQUIRED))
              .requestHandler(request -> {
                String name;
                try {
                  name =
                      ((java.security.cert.X509Certificate)
                              request.connection().peerCertificates().getFirst())
                          .getSubjectX500Principal()
                          .getName();
                } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
                  name = "nobody";
                }
                request.response().end("{\"hello\":\"" + name + "\"}");
              })
              .listen(0, "127.0.0.1")
              .await(LIMIT_SECONDS, TimeUnit.SECONDS);
      use.at(server.actualPort());
    } finally {
      vertx.close().await(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static ContractServer server(Path file) throws IOException {
    return Kubeconfig.read(file).server(Optional.empty());
  }

  private Path write(int port, String cluster, String user) throws IOException {
    return write("https://127.0.0.1:" + port, cluster, user);
  }

  private Path write(String address, String cluster, String user) throws IOException {
    return Files.writeString(
        folder.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        current-context: c
        clusters: [{name: other, cluster: {}}, {name: c, cluster: {server: "%s", %s}}]
        contexts: [{name: other, context: {}}, {name: c, context: {cluster: c, user: u}}]
        users: [{name: u, user: {%s}}]
        """
            .formatted(address, cluster, user));
  }

  private static String base64(String text) {
    return Base64.getEncoder()
        .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  /** A certificate that signs itself, and its key, both in PEM. */
  private record Pair(String certificate, String key) {
    private static final String PASSWORD = SelfSigned.PASSWORD;

    static Pair create(Path folder, String name) throws Exception {
      KeyStore pair =
          SelfSigned.add(folder.resolve("pair.p12"), "pair", "CN=contract", "-ext", "san=" + name);
      Key key = pair.getKey("pair", PASSWORD.toCharArray());
      return new Pair(
          pem("CERTIFICATE", pair.getCertificate("pair").getEncoded()),
          pem("PRIVATE KEY", key.getEncoded()));
    }

    private static String pem(String kind, byte[] content) {
      return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
          .formatted(kind, Base64.getMimeEncoder().encodeToString(content), kind);
    }
  }
}
