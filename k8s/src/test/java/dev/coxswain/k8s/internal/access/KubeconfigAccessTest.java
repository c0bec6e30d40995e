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
import dev.coxswain.k8s.fixture.RecordingServer;
import dev.coxswain.k8s.internal.AccessException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a kubeconfig says is what requests do, and what cannot be done is refused by name. */
class KubeconfigAccessTest {

  private static final Duration NEVER = Duration.ofHours(1);

  @TempDir private Path folder;
  private final RecordingServer server = new RecordingServer();

  @AfterEach
  void close() {
    server.close();
  }

  private Path file(String name, String cluster, String user) throws IOException {
    return Files.writeString(
        folder.resolve(name),
        """
        apiVersion: v1
        kind: Config
        current-context: two
        preferences: {colors: true}
        contexts:
        - {name: one, context: {cluster: other, user: other}}
        - {name: two, context: {cluster: c, user: u, namespace: x, extensions: []}}
        clusters:
        - {name: other, cluster: {server: 'http://127.0.0.1:1', nonsense: 1}}
        - {name: c, cluster: {server: '%s'%s}}
        users:
        - {name: other, user: {token: wrong, nonsense: 1}}
        - {name: u, user: %s}
        """
            .formatted(server.url(), cluster, user));
  }

  private static Kubernetes open(Duration period, Path... files) throws IOException {
    return Kubernetes.of(
        KubeconfigAccess.of(List.of(files), Map.of(), period), KubernetesOptions.DEFAULT);
  }

  private void request(String user) throws IOException {
    try (Kubernetes k8s = open(NEVER, file("config", "", user))) {
      assertThat(k8s.serverVersion()).isEqualTo("v1.36.0");
    }
  }

  private void refused(String cluster, String user, String message) throws IOException {
    Path file = file("config", cluster, user);
    assertThatThrownBy(() -> KubeconfigAccess.of(List.of(file), Map.of(), NEVER))
        .isInstanceOf(AccessException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(message)
        .hasMessageNotContaining("secret")
        .hasNoCause();
    assertThat(server.targets()).isEmpty();
  }

  @Test
  void impersonation_isInTheHeadersOfReadsAndWrites() throws IOException {
    Path file =
        file(
            "config",
            "",
            "{token: t, as: 'system:serviceaccount:x:y', as-uid: u-1, as-groups: [a, 'ü b'],"
                + " as-user-extra: {acme.com/project: [one, two], 'A%ü': [three]}}");
    try (Kubernetes k8s = open(NEVER, file)) {
      for (boolean write : new boolean[] {false, true}) {
        if (write) {
          KubernetesRuntime.of(k8s)
              .transport()
              .write("POST", "/api/v1/pods", Map.of(), new JsonObject(), ApiTransport.JSON);
        } else {
          k8s.serverVersion();
        }
        assertThat(server.last("Authorization")).containsExactly("Bearer t");
        assertThat(server.last("Impersonate-User")).containsExactly("system:serviceaccount:x:y");
        assertThat(server.last("Impersonate-Uid")).containsExactly("u-1");
        assertThat(server.last("Impersonate-Group")).hasSize(2).contains("a");
        assertThat(server.names("Impersonate-extra"))
            .containsExactlyInAnyOrder(
                "Impersonate-extra-acme.com%2fproject", "Impersonate-extra-a%25%c3%bc");
        assertThat(server.last("Impersonate-Extra-acme.com%2Fproject"))
            .containsExactly("one", "two");
      }
    }
  }

  @Test
  void aUserWithoutAnything_isAnonymousAsTheFileSays() throws IOException {
    for (String user : List.of("{}", "null")) {
      request(user);
      assertThat(server.last("Authorization")).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{auth-provider: {name: gcp, config: {access-token: secret}}} | auth-provider is not supported",
        "{token: secret, as-groups: [a]} | need the name of the user",
        "{token: secret, as-uid: a} | need the name of the user",
        "{token: secret, as-user-extra: {a: [b]}} | need the name of the user",
        "{token: secret, as: \"a\\nb\"} | Impersonate-User",
        "{token: secret, as: ' a'} | Impersonate-User",
        "{token: secret, as: a, as-groups: b} | as-groups must be a list",
        "{token: secret, impersonate: a} | field impersonate is not supported",
        "{Token: secret} | field Token is not supported",
        "{token: 12345} | token must be a text",
        "{token: \"secret\\nline\"} | token: the token has",
        "{token: secret, username: a, password: secret} | several ways to authenticate",
        "{token: secret, exec: {}} | several ways to authenticate",
        "{password: secret} | a password and no username",
        "{tokenFile: nowhere} | tokenFile",
        "{client-certificate-data: c2VjcmV0} | no client-key",
        "{client-key-data: c2VjcmV0} | no client-certificate",
        "{client-certificate-data: '*secret*', client-key-data: c2VjcmV0} | client-certificate-data is not base64",
        "{client-certificate-data: c2VjcmV0, client-certificate: f, client-key: f} | both given",
        "{client-certificate-data: c2VjcmV0, client-key-data: c2VjcmV0} | needs a server with https",
        "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: sh}} | v1alpha1",
        "{exec: {apiVersion: client.authentication.k8s.io/v1}} | exec has no command",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Always}} | interactiveMode Always",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, shell: true}} | field shell is not supported",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, installHint: 'get it'}} | no-such-plugin is in no folder of PATH; get it",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./no-such-plugin}} | ./no-such-plugin is no program",
        "[a] | user must be a mapping",
      })
  void aUserThatCannotBeUsed_isRefusedAtTheStart(String user, String message) throws IOException {
    refused("", user, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "proxy-url: 'socks4://u:secret@h' | proxy-url: it must begin with",
        "proxy-url: 'http://u:secret@' | proxy-url: it",
        "insecure-skip-tls-verify: 'true' | must be true or false",
        "certificate-authority: nowhere | nowhere: no such file",
        "certificate-authority-data: '?' | certificate-authority-data is not base64",
        "server-name: a | field server-name is not supported",
        "api-version: v1 | field api-version is not supported",
      })
  void aClusterThatCannotBeUsed_isRefusedAtTheStart(String cluster, String message)
      throws IOException {
    refused(", " + cluster, "{token: secret}", message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'' | no server",
        "'ftp://a' | no address",
        "'https://u:secret@a' | user name or a password",
        "'https://a?b=c' | query",
        "'https://a', insecure-skip-tls-verify: true, certificate-authority-data: c2VjcmV0 | does not go with",
        "'https://a', certificate-authority-data: c2VjcmV0 | no certificate",
      })
  void aServerThatCannotBeUsed_isRefusedAtTheStart(String server, String message)
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("config"),
            "{current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c,"
                + " cluster: {server: "
                + server
                + "}}]}");
    assertThatThrownBy(() -> KubeconfigAccess.of(List.of(file), Map.of(), NEVER))
        .hasMessageContaining(file.toString())
        .hasMessageContaining(message)
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | no current-context",
        "{current-context: gone} | \"gone\", which is missing",
        "{current-context: c, contexts: [{name: c, context: {cluster: c}}]} | cluster \"c\", which is missing",
        "{current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: 'http://a'}}]} | user \"u\", which is missing",
        "{current-context: c, contexts: [{name: c, context: {cluster: c, usr: u}}]} | field usr is not supported",
        "{current-context: c, contexts: [{name: c}]} | names no cluster",
        "{users: [{name: a, user: {token: secret}}, {name: a}]} | two entries \"a\" in users",
        "{kind: Secret, apiVersion: v1} | it has kind Secret",
        "{users: {name: a}} | users must be a list",
        "'[1, 2]' | not a kubeconfig file in YAML",
        "'{users: [{token: secret}' | not a kubeconfig file in YAML",
        "'{token: secret, token: secret}' | not a kubeconfig file in YAML",
      })
  void aFileWithoutAWay_isRefusedAtTheStart(String content, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("config"), content);
    assertThatThrownBy(() -> KubeconfigAccess.of(List.of(file), Map.of(), NEVER))
        .isInstanceOf(AccessException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(message)
        .hasMessageNotContaining("secret")
        .hasNoCause();
  }

  @Test
  void ofSeveralFiles_theFirstWithAnEntryWins_andPathsAreRelativeToTheirFile() throws IOException {
    Path first = Files.createDirectory(folder.resolve("first"));
    Path second = Files.createDirectory(folder.resolve("second"));
    Files.writeString(first.resolve("token"), "of the first, unused");
    Files.writeString(second.resolve("token"), "second\n");
    Path clusters =
        Files.writeString(
            first.resolve("config"),
            "{clusters: [{name: c, cluster: {server: '"
                + server.url()
                + "'}}], current-context: ''}");
    Path users =
        Files.writeString(
            second.resolve("config"),
            """
            current-context: a
            contexts: [{name: a, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1', tls-server-name: x}}]
            users: [{name: u, user: {tokenFile: token}}]
            """);
    Path third =
        Files.writeString(
            folder.resolve("third"),
            "{current-context: b, users: [{name: u, user: {token: third}}], contexts: [{name: a,"
                + " context: {cluster: none}}]}");
    try (Kubernetes k8s = open(NEVER, folder.resolve("missing"), clusters, users, users, third)) {
      k8s.serverVersion();
    }
    assertThat(server.last("Authorization")).containsExactly("Bearer second");
    assertThatThrownBy(() -> open(NEVER, folder.resolve("missing")))
        .hasMessageContaining("missing: no such file");
  }

  @Test
  void aTokenFile_isReadAgain_andKeptWhileItIsReplaced() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "  first \r\n\n");
    try (Kubernetes k8s = open(Duration.ZERO, file("config", "", "{tokenFile: token, token: t}"))) {
      k8s.serverVersion();
      assertThat(server.last("Authorization")).containsExactly("Bearer first");
      Files.writeString(token, "second");
      k8s.serverVersion();
      assertThat(server.last("Authorization")).containsExactly("Bearer second");
      for (String broken : List.of("", "a b", "a\nb")) {
        Files.writeString(token, broken);
        k8s.serverVersion();
        assertThat(server.last("Authorization")).containsExactly("Bearer second");
      }
      Files.delete(token);
      k8s.serverVersion();
      assertThat(server.last("Authorization")).containsExactly("Bearer second");
    }
  }

  @Test
  void aRefusedTokenOfAFile_isReadAgainAtOnce_andTheRequestSentOnceMore() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "old");
    server.answers(exchange ->
        exchange.getRequestHeaders().getFirst("Authorization").equals("Bearer old") ? 401 : 200);
    try (Kubernetes k8s = open(NEVER, file("config", "", "{tokenFile: token}"))) {
      assertThatThrownBy(k8s::serverVersion)
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(401));
      assertThat(server.targets()).hasSize(1);
      Files.writeString(token, "new");
      KubernetesRuntime.of(k8s)
          .transport()
          .write("POST", "/api/v1/pods", Map.of(), new JsonObject(), ApiTransport.JSON);
      assertThat(server.all("Authorization"))
          .containsExactly(List.of("Bearer old"), List.of("Bearer old"), List.of("Bearer new"));
    }
  }

  @Test
  void aRefusedStaticToken_isNotSentAgain() throws IOException {
    AtomicInteger requests = new AtomicInteger();
    server.answers(_ -> {
      requests.incrementAndGet();
      return 401;
    });
    assertThatThrownBy(() -> request("{token: t}")).isInstanceOf(ApiStatusException.class);
    assertThat(requests).hasValue(1);
  }

  @Test
  void aRedirect_isAnAnswer_andFollowedNowhere() throws IOException {
    server.answers(exchange -> {
      exchange.getResponseHeaders().add("Location", server.url() + "/elsewhere");
      return 307;
    });
    assertThatThrownBy(() -> request("{token: t}")).hasMessageContaining("307");
    assertThat(server.targets()).hasSize(1);
  }

  @Test
  void aPassword_isBasicAuthentication() throws IOException {
    request("{username: a, password: b}");
    assertThat(server.last("Authorization")).containsExactly("Basic YTpi");
  }
}
