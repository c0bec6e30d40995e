// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two hosts whose configurations give one controller different ownerships. */
class OwnershipConflictTest {

  private final HttpClient http = HttpClient.newHttpClient();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Set<String> reconciledBy = ConcurrentHashMap.newKeySet();
  private final List<Replica> replicas = new ArrayList<>();

  @AfterEach
  void stop() {
    replicas.forEach(Replica::stop);
    kubernetes.close();
    http.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({"sharded, everywhere", "everywhere, leader", "leader, sharded"})
  void theSecondDoesNotRunIt_saysWhy_andRunsItWhenTheFirstHasGone(String first, String second) {
    Replica one = new Replica("one", first);
    one.awaitState("running");
    create("a");
    Admin.await(() -> reconciledBy.contains("one"));

    Replica two = new Replica("two", second);
    two.awaitState("failed");
    // Until the Lease of the first one says so, it "is about to run it".
    Admin.await(() ->
        two.shown().path("error").asText().contains("replica one runs it with ownership " + first));
    assertThat(two.shown().path("error").asText()).contains("this replica has ownership " + second);
    assertThat(two.readiness()).contains("[!]controller/mirror/ownershipDiffers: replica one");
    Admin.await(() -> two.readinessStatus() == 200); // a roll-out goes on
    assertThat(one.state()).isEqualTo("running");
    assertThat(one.readiness()).doesNotContain("ownershipDiffers");

    create("b");
    assertThat(reconciledBy).containsOnly("one");
    one.stop();
    two.awaitState("running");
    Admin.await(() -> reconciledBy.contains("two"));
    Admin.await(() -> !two.readiness().contains("ownershipDiffers"));
  }

  @ParameterizedTest
  @CsvSource({"sharded, everywhere"})
  void ofTwoThatStartAtOnce_oneRunsIt_andTheOtherSaysWhy(String first, String second) {
    Replica one = new Replica("one", first);
    Replica two = new Replica("two", second);
    Admin.await(
        () -> Set.copyOf(List.of(one.state(), two.state())).equals(Set.of("running", "failed")));
    // Of the two, each has slots, and those of the one that does not run the controller wait.
    for (int i = 0; i < 20; i++) {
      create("a" + i);
    }
    Admin.await(() -> !reconciledBy.isEmpty());
    Replica failed = one.state().equals("failed") ? one : two;
    assertThat(failed.readiness()).contains("[!]controller/mirror/ownershipDiffers: ");
  }

  private void create(String name) {
    kubernetes
        .resource(V1ConfigMap.class)
        .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)));
  }

  private final class Replica {
    private final String name;
    private final Host host;
    private final Admin admin;
    private boolean stopped;

    Replica(String name, String ownership) {
      this.name = name;
      host =
          new Host(
              Admin.configuration(
                  name,
                  "changes.pauses.enabled=false",
                  "membership.renewPeriod=200ms",
                  "controllers.mirror.ownership=" + ownership),
              List.of(new Mirror()),
              Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
              new HostMetrics(name),
              Clock.system());
      admin = new Admin(host);
      replicas.add(this);
      host.start().await();
    }

    void stop() {
      if (!stopped) {
        stopped = true;
        admin.close();
        host.stop().await();
      }
    }

    void awaitState(String state) {
      Admin.await(() -> state().equals(state));
    }

    String state() {
      return shown().path("state").asText();
    }

    JsonNode shown() {
      JsonNode all = admin.get("/controllers?scope=local").path("items");
      return StreamSupport.stream(all.spliterator(), false).findFirst().orElseThrow();
    }

    String readiness() {
      return probe().body();
    }

    int readinessStatus() {
      return probe().statusCode();
    }

    private HttpResponse<String> probe() {
      try {
        URI probe = URI.create(host.report().health() + "/readyz?verbose");
        return http.send(
            HttpRequest.newBuilder(probe).build(), HttpResponse.BodyHandlers.ofString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    private final class Mirror implements ControllerDefinition {
      @Override
      public String name() {
        return "mirror";
      }

      @Override
      public Controller<?> create(ControllerEnvironment environment) {
        return Controller.named("mirror")
            .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
            .reconciles((request, context) -> {
              reconciledBy.add(name);
              return Result.done();
            });
      }
    }
  }
}
