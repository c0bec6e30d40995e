// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** Hosts at one API server, which end with the test. */
abstract class ReplicaFixture {

  final EmbeddedApiServer server;

  /** A client with all rights. */
  final Kubernetes user;

  final List<Replica> replicas = new ArrayList<>();
  private final Supplier<Kubernetes> access;

  /** With a server at which every client has all rights. */
  ReplicaFixture() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    access = () -> Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
    user = access.get();
  }

  /** With a server that reviews tokens: that of the hosts is {@link Guide#HOST}. */
  ReplicaFixture(Token root) {
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(root, Guide.HOST)));
    access = () -> Guide.access(server, Guide.HOST.token());
    user = Guide.access(server, root.token());
  }

  @AfterEach
  void closeAll() {
    replicas.forEach(Replica::stop);
    user.close();
    server.close();
  }

  void create(String namespace, String name) {
    user.resource(V1ConfigMap.class)
        .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace(namespace).name(name)));
  }

  /** Creates a host with settings in addition to those of {@link Admin#configuration}. */
  Replica replica(String name, List<ControllerDefinition> controllers, String... settings) {
    return new Replica(name, Admin.configuration(name, settings), controllers, access.get());
  }

  /** A source with one request, which is there from the start. */
  static EventSource<Request> oneObject() {
    return new PeriodicSource<>(
        "one object", Duration.ofHours(1), () -> List.of(new Request("default", "one")));
  }

  /** A controller that a function builds. */
  record Definition(String name, Function<ControllerEnvironment, Controller<?>> controller)
      implements ControllerDefinition {
    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return controller.apply(environment);
    }
  }

  /** A host of the test, which does not run yet, and a client of its admin API. */
  class Replica {
    final String name;
    final Kubernetes kubernetes;
    final HostMetrics metrics;
    final Host host;
    final Admin admin;

    Replica(
        String name,
        CoxswainConfiguration configuration,
        List<ControllerDefinition> controllers,
        Kubernetes kubernetes) {
      this.name = name;
      this.kubernetes = kubernetes;
      metrics = new HostMetrics(name);
      host = new Host(configuration, controllers, kubernetes, metrics, Clock.system());
      admin = new Admin(host);
      replicas.add(this);
    }

    void start() {
      host.start().await();
    }

    void startUntilReady() {
      start();
      host.ready().await();
    }

    void stop() {
      admin.close();
      host.stop().await();
    }

    JsonNode shown(String controller) {
      return admin.get("/controllers/" + controller + "?scope=local");
    }

    /** Returns the state of a controller; empty when it has none. */
    String state(String controller) {
      return item("/controllers?scope=local", "items", "name", controller).path("state").asText();
    }

    void awaitState(String controller, String state) {
      Admin.await(() -> state(controller).equals(state));
    }

    /** Returns how many slots of a replica are open, as this one sees it. */
    int openSlots(String replica) {
      return item("/slots", "shares", "replica", replica).path("open").asInt();
    }

    /** Returns whether all slots are open, of which another replica than this one has the most. */
    boolean areSlotsAtRest(int slots, int ownBelow) {
      JsonNode seen = admin.get("/slots");
      int open = 0;
      boolean few = false;
      for (JsonNode share : seen.path("shares")) {
        open += share.path("open").asInt();
        few |=
            share.path("replica").asText().equals(name) && share.path("slots").asInt() < ownBelow;
      }
      return few && open == slots && seen.path("counts").path("owned").asInt() == slots;
    }

    private JsonNode item(String path, String list, String key, String value) {
      for (JsonNode item : admin.get(path).path(list)) {
        if (item.path(key).asText().equals(value)) {
          return item;
        }
      }
      return MissingNode.getInstance();
    }
  }
}
