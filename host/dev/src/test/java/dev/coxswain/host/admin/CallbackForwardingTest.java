// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.Host;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.callback.CallbackAuthentication;
import dev.coxswain.k8s.callback.HttpCallbackOptions;
import dev.coxswain.k8s.callback.HttpCallbackSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two hosts receive callbacks for a sharded controller over HTTP, each for all keys. */
class CallbackForwardingTest {

  /**
   * So many that the first replica owns some whichever six of the 64 slots it keeps: with 40 keys
   * one run in fifty had none.
   */
  private static final List<String> KEYS =
      IntStream.range(0, 400).mapToObj(number -> "key-" + number).toList();

  private final HttpClient http = HttpClient.newHttpClient();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Replica one = new Replica("one", 10);
  private final Replica two = new Replica("two", 90);

  @AfterEach
  void stop() {
    two.stop();
    one.stop();
    http.close();
    server.close();
  }

  @Test
  void aCallForKeysOfBoth_isAcceptedByEither_andEachKeyIsReconciledByItsOwner() {
    one.start();
    two.start(); // it receives most slots at once: the first has far more than its share
    Admin.await(this::areSlotsAtRest);
    Admin.await(() -> acceptedByAll(one));
    assertThat(two.reconciled.size()).isGreaterThan(KEYS.size() / 2);
    Admin.await(() -> acceptedByAll(two));
    Set<String> own = Set.copyOf(one.reconciled);
    assertThat(own).as("keys in the few slots of the first").isNotEmpty();

    assertThat(one.call("wrong", KEYS)).isEqualTo(401);
    two.token = "renewed";
    List<String> foreign = KEYS.stream().filter(key -> !own.contains(key)).toList();
    assertThat(one.call("secret", foreign)).as("the owner authenticates it").isEqualTo(503);
    assertThat(one.call("secret", List.copyOf(own))).isEqualTo(202);
    two.token = "secret";
    Admin.await(() -> one.call("secret", foreign) == 202);

    two.stop();
    Admin.await(() -> one.call("secret", KEYS) == 202);
    Admin.await(() -> one.reconciled.containsAll(KEYS));
  }

  private boolean areSlotsAtRest() {
    JsonNode slots = one.admin.get("/slots");
    int open = 0;
    boolean few = false;
    for (JsonNode share : slots.path("shares")) {
      open += share.path("open").asInt();
      few |= share.path("replica").asText().equals("one") && share.path("slots").asInt() < 8;
    }
    return few && open == 64 && slots.path("counts").path("owned").asInt() == 64;
  }

  /** Returns whether a call with all keys is accepted; each of them is reconciled then. */
  private boolean acceptedByAll(Replica receiver) {
    one.reconciled.clear();
    two.reconciled.clear();
    if (receiver.call("secret", KEYS) != 202) {
      return false;
    }
    Admin.await(() -> one.reconciled.size() + two.reconciled.size() >= KEYS.size());
    return true;
  }

  private final class Replica {
    final Set<String> reconciled = ConcurrentHashMap.newKeySet();
    volatile String token = "secret";
    private final Host host;
    private final HttpCallbackSource<Request> source =
        new HttpCallbackSource<>(
            HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.bearer(() -> token)),
            body ->
                Arrays.stream(body.toString().split(",", -1))
                    .map(name -> Request.of("default", name))
                    .toList());
    private final Admin admin;
    private boolean stopped;

    Replica(String name, int weight) {
      host =
          new Host(
              Admin.configuration(
                  name,
                  "changes.pauses.enabled=false",
                  "membership.renewPeriod=200ms",
                  "membership.weight=" + weight),
              List.of(new Called()),
              Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
              new HostMetrics(name),
              Clock.system());
      admin = new Admin(host);
    }

    void start() {
      host.start().await();
      host.ready().await();
      Admin.await(() -> source.port() != 0);
    }

    void stop() {
      if (!stopped) {
        stopped = true;
        admin.close();
        host.stop().await();
      }
    }

    int call(String bearer, List<String> keys) {
      try {
        HttpResponse<String> response =
            http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + source.port() + "/hook"))
                    .header("Authorization", "Bearer " + bearer)
                    .POST(BodyPublishers.ofString(keys.stream().collect(Collectors.joining(","))))
                    .build(),
                BodyHandlers.ofString());
        return response.statusCode();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    private final class Called implements ControllerDefinition {
      @Override
      public String name() {
        return "called";
      }

      @Override
      public Controller<?> create(ControllerEnvironment environment) {
        return Controller.named("called")
            .watches(source)
            .reconciles((request, context) -> {
              reconciled.add(request.name());
              return Result.done();
            });
      }
    }
  }
}
