// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.config.AdminSettings;
import dev.coxswain.host.internal.config.AdminSettings.Auth;
import dev.coxswain.host.internal.config.AdminSettings.Mode;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.TlsFiles;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.spi.Clock;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the admin API are used anew when they change, and never when they are wrong. */
class AdminComponentTest {

  private static final String HEADER =
      "apiVersion: config.coxswain.dev/v1alpha1\nkind: AdminTokens\nprincipals:\n";

  @TempDir private Path folder;
  private final List<Throwable> unhandled = new CopyOnWriteArrayList<>();
  private final Vertx vertx = Vertx.vertx().exceptionHandler(unhandled::add);
  private final List<AdminComponent> members = new ArrayList<>();

  @AfterEach
  void close() {
    members.forEach(member -> member.stop().await());
    vertx.close().await();
    assertThat(unhandled).isEmpty();
  }

  private AdminComponent member(Auth auth, @Nullable TlsFiles tls) {
    AdminComponent member =
        new AdminComponent(
            vertx,
            new AdminSettings(new Listener("127.0.0.1", 0), AccessLevel.FULL, auth, tls, Map.of()),
            AdminOptions.DEFAULT,
            new Nothing(),
            Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT),
            AdminPorts.DEFAULT,
            Clock.system());
    members.add(member);
    return member;
  }

  private static String principal(String name, String token) {
    return "- {name: "
        + name
        + ", tokenHashes: [\""
        + StaticAccess.hash(token)
        + "\"], roles: [admin]}\n";
  }

  private static int get(AdminComponent member, String token) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(member.url() + "/api/v1/controllers"))
                  .header("Authorization", "Bearer " + token)
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .statusCode();
    }
  }

  private static List<String> problems(AdminComponent member) {
    return member.checks().stream().map(Check::problem).map(String::valueOf).toList();
  }

  @Test
  void tokens_areThoseOfTheFile_asItIsNow_andOfTheOneBeforeWhileItIsWrong() throws Exception {
    Path file = folder.resolve("tokens.yaml");
    AdminComponent member = member(new Auth(Mode.TOKEN_FILE, "a", file.toString()), null);
    assertThatThrownBy(() -> member.start().await())
        .hasMessage("admin.auth.tokenFile: no file " + file);

    Files.writeString(file, HEADER + principal("alice", "a"));
    member.start().await();
    assertThat(get(member, "a")).isEqualTo(200);
    assertThat(get(member, "b")).isEqualTo(401);

    Files.writeString(file, HEADER + principal("bob", "b"));
    member.look().await();
    assertThat(get(member, "a")).isEqualTo(401);
    assertThat(get(member, "b")).isEqualTo(200);
    assertThat(problems(member)).isEmpty();

    Files.writeString(file, HEADER + principal("eve", "c") + principal("eve", "d"));
    member.look().await();
    assertThat(get(member, "b")).isEqualTo(200);
    assertThat(get(member, "c")).isEqualTo(401);
    assertThat(problems(member).toString())
        .contains("the principal \"eve\" is in the list twice", "the previous contents stay in use")
        .doesNotContain(StaticAccess.hash("c"));

    Files.delete(file);
    member.look().await();
    assertThat(get(member, "b")).isEqualTo(200);
    assertThat(problems(member).toString()).contains("no file");

    Files.writeString(file, HEADER + principal("bob", "b2"));
    member.look().await();
    assertThat(get(member, "b2")).isEqualTo(200);
    assertThat(problems(member)).isEmpty();
  }

  @Test
  void theCertificate_isThatOfTheFiles_alsoWhenASecretIsReplaced_andOnlyAPairIsUsed()
      throws Exception {
    KeyPairs keys = KeyPairs.make(folder, "one", "two");
    // A mounted Secret: the files are links through a link that is replaced.
    Path first = secret("first", keys.certificate("one"), keys.key("one"));
    Path second = secret("second", keys.certificate("two"), keys.key("two"));
    Path torn = secret("torn", keys.certificate("one"), keys.key("two"));
    Path empty = secret("empty", "", "");
    Path data = folder.resolve("..data");
    Files.createSymbolicLink(data, empty);
    AdminComponent member =
        member(
            new Auth(Mode.NONE, "a", null),
            new TlsFiles(data.resolve("tls.crt").toString(), data.resolve("tls.key").toString()));
    assertThatThrownBy(() -> member.start().await())
        .hasMessageStartingWith("admin.tls: the certificate or its key cannot be read");

    swap(data, first);
    member.start().await();
    assertThat(member.url()).startsWith("https://127.0.0.1:");
    HttpResponse<String> answer = tls(member, keys);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(answer.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
    assertThat(shown(answer)).isEqualTo("CN=one");

    swap(data, second);
    member.look().await();
    answer = tls(member, keys);
    assertThat(shown(answer)).isEqualTo("CN=two");
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);

    swap(data, torn);
    member.look().await();
    assertThat(shown(tls(member, keys))).isEqualTo("CN=two");
    assertThat(problems(member))
        .containsExactly(
            "admin.tls: the key does not belong to the certificate; the previous contents"
                + " stay in use");

    swap(data, first);
    member.look().await();
    assertThat(shown(tls(member, keys))).isEqualTo("CN=one");
    assertThat(problems(member)).isEmpty();
  }

  @Test
  void changes_workOverHttp2_andARefusedBodyDoesNotBreakTheConnection() throws Exception {
    KeyPairs keys = KeyPairs.make(folder, "one");
    Path secret = secret("secret", keys.certificate("one"), keys.key("one"));
    AdminComponent member =
        member(
            new Auth(Mode.NONE, "a", null),
            new TlsFiles(
                secret.resolve("tls.crt").toString(), secret.resolve("tls.key").toString()));
    member.start().await();
    try (HttpClient http = keys.client()) {
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> refused =
            http.send(
                HttpRequest.newBuilder(URI.create(member.url() + "/api/v1/controllers/x/pause"))
                    .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"x\"}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(415);
        HttpResponse<String> read =
            http.send(
                HttpRequest.newBuilder(URI.create(member.url() + "/api/v1/controllers/x/pause"))
                    .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"x\"}"))
                    .header("Content-Type", "application/json")
                    .header("Origin", member.url())
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(read.statusCode()).as(read.body()).isEqualTo(404);
        assertThat(read.body()).contains("controller-not-found");
        assertThat(read.version()).isEqualTo(HttpClient.Version.HTTP_2);
      }
    }
  }

  private Path secret(String name, String certificate, String key) throws Exception {
    Path made = Files.createDirectory(folder.resolve(name));
    Files.writeString(made.resolve("tls.crt"), certificate);
    Files.writeString(made.resolve("tls.key"), key);
    return made;
  }

  private static void swap(Path link, Path target) throws Exception {
    Path fresh = link.resolveSibling("..fresh");
    Files.createSymbolicLink(fresh, target);
    Files.move(fresh, link, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }

  private static HttpResponse<String> tls(AdminComponent member, KeyPairs keys) throws Exception {
    try (HttpClient http = keys.client()) { // a new one: a connection keeps its certificate
      return http.send(
          HttpRequest.newBuilder(URI.create(member.url() + "/api/v1/controllers")).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static String shown(HttpResponse<String> answer) throws Exception {
    return ((X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  private static final class Nothing implements ControllerDirectory {
    @Override
    public String replica() {
      return "test";
    }

    @Override
    public Snapshot snapshot() {
      return new Snapshot(List.of(), List.of(), List.of());
    }

    @Override
    public Optional<ControllerHandle> find(String name) {
      return Optional.empty();
    }

    @Override
    public List<BudgetSnapshot> limiters() {
      return List.of();
    }
  }
}
