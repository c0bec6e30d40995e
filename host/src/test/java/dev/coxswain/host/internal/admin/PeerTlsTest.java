// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.spi.Clock;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas with the same certificate send requests to each other; tokens go to no other server. */
class PeerTlsTest {

  @TempDir private Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final List<ControllerDirectory.ReplicaInfo> infos = new CopyOnWriteArrayList<>();
  private final List<AdminComponent> members = new ArrayList<>();

  @AfterEach
  void close() {
    members.forEach(member -> member.stop().await());
    vertx.close().await();
  }

  private void start(String certificate, String key) throws Exception {
    int ordinal = members.size();
    Path secret = Files.createDirectory(folder.resolve("secret-" + ordinal));
    Path tokens = folder.resolve("tokens.yaml");
    Files.writeString(
        tokens,
        "apiVersion: config.coxswain.dev/v1alpha1\nkind: AdminTokens\nprincipals:\n- {name: alice,"
            + " tokenHashes: [\""
            + StaticAccess.hash("secret")
            + "\"], roles: [admin]}\n");
    write(ordinal, certificate, key);
    AdminComponent member =
        new AdminComponent(
            vertx,
            new AdminSettings(
                new Listener("127.0.0.1", 0),
                AccessLevel.FULL,
                new Auth(Mode.TOKEN_FILE, "a", tokens.toString()),
                new TlsFiles(
                    secret.resolve("tls.crt").toString(), secret.resolve("tls.key").toString()),
                Map.of()),
            AdminOptions.DEFAULT,
            new Directory("coxswain-" + ordinal),
            Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT),
            AdminPorts.DEFAULT,
            Clock.system());
    members.add(member);
    member.start().await();
    infos.add(
        new ControllerDirectory.ReplicaInfo(
            "coxswain-" + ordinal,
            "coxswain-" + ordinal + "_1",
            ordinal,
            Instant.EPOCH,
            "g",
            true,
            Map.of("admin", member.announced("127.0.0.1"))));
  }

  private void write(int ordinal, String certificate, String key) throws Exception {
    Path secret = folder.resolve("secret-" + ordinal);
    Files.writeString(secret.resolve("tls.crt"), certificate);
    Files.writeString(secret.resolve("tls.key"), key);
  }

  /**
   * Returns the states once no replica is too busy to respond in time, as at first on a busy
   * machine.
   */
  private List<String> states(int via, KeyPairs keys) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    List<String> states = request(via, keys);
    while (states.contains("timeout") && System.nanoTime() - limit < 0) {
      states = request(via, keys);
    }
    return states;
  }

  private List<String> request(int via, KeyPairs keys) throws Exception {
    try (HttpClient http = keys.client()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(members.get(via).url() + "/api/v1/replicas"))
                  .header("Authorization", "Bearer secret")
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonNode states = new ObjectMapper().readTree(answer.body()).path("replicas");
      return states.findValuesAsText("state");
    }
  }

  @Test
  void onlyWhoShowsTheSameCertificateIsAsked_alsoWhileItIsRenewed() throws Exception {
    KeyPairs keys = KeyPairs.make(folder, "one", "two");
    start(keys.certificate("one"), keys.key("one"));
    start(keys.certificate("one"), keys.key("one"));
    start(keys.certificate("two"), keys.key("two"));
    assertThat(states(0, keys)).containsExactly("ok", "ok", "unreachable");
    assertThat(states(2, keys)).containsExactly("unreachable", "unreachable", "ok");

    // A renewed certificate reaches the replicas one after the other.
    write(0, keys.certificate("two"), keys.key("two"));
    members.get(0).look().await();
    assertThat(states(0, keys)).containsExactly("ok", "ok", "ok");
    write(1, keys.certificate("two"), keys.key("two"));
    members.get(1).look().await();
    assertThat(states(1, keys)).containsExactly("ok", "ok", "ok");
    assertThat(states(2, keys)).containsExactly("ok", "ok", "ok");
  }

  @Test
  void questionsToOneReplica_shareAConnection() throws Exception {
    KeyPairs keys = KeyPairs.make(folder, "one");
    start(keys.certificate("one"), keys.key("one"));
    start(keys.certificate("one"), keys.key("one"));
    ControllerDirectory.ReplicaInfo behind = infos.get(1);
    AtomicInteger connections = new AtomicInteger();
    int proxy = proxy(URI.create(members.get(1).announced("127.0.0.1")).getPort(), connections);
    infos.set(
        1,
        new ControllerDirectory.ReplicaInfo(
            behind.name(),
            behind.identity(),
            behind.ordinal(),
            behind.since(),
            behind.generation(),
            behind.pool(),
            Map.of("admin", "https://127.0.0.1:" + proxy)));
    assertThat(states(0, keys)).containsExactly("ok", "ok");
    int before = connections.get(); // more than one when the first ones were not answered in time
    for (int i = 0; i < 10; i++) {
      assertThat(states(0, keys)).containsExactly("ok", "ok");
    }
    assertThat(connections).hasValue(before);
  }

  /** Passes everything on to a port, and counts who connects. */
  private int proxy(int port, AtomicInteger connections) {
    NetClient client = vertx.createNetClient();
    return vertx
        .createNetServer()
        .connectHandler(from -> {
          connections.incrementAndGet();
          from.pause();
          client
              .connect(port, "127.0.0.1")
              .onComplete(
                  to -> {
                    from.pipeTo(to);
                    to.pipeTo(from);
                  },
                  failed -> from.close());
        })
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  /** A replica without controllers with a list of replica Leases. */
  private final class Directory implements ControllerDirectory {
    private final String name;

    Directory(String name) {
      this.name = name;
    }

    @Override
    public String replica() {
      return name;
    }

    @Override
    public Snapshot snapshot() {
      return new Snapshot(List.of(), List.of(), List.of());
    }

    @Override
    public Optional<ControllerHandle> find(String controller) {
      return Optional.empty();
    }

    @Override
    public List<BudgetSnapshot> limiters() {
      return List.of();
    }

    @Override
    public List<ReplicaInfo> replicas() {
      return infos;
    }
  }
}
