// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A controller whose ownership a roll-out changes while its objects change. Its epochs went down: that
 * of the slot of its name is another one than those of the slots of its requests, and 0 followed when
 * every replica ran it.
 */
class OwnershipChangeTest {

  private static final int OBJECTS = 12;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final List<Replica> replicas = new ArrayList<>();
  private final AtomicBoolean ended = new AtomicBoolean();

  /** The last attempt that has begun for each object, and the count that it read; by its lock. */
  private final Map<String, Attempt> last = new HashMap<>();

  private final Map<String, Long> read = new HashMap<>();
  private final Map<String, Integer> running = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  private record Attempt(String replica, String ownership, long epoch) {}

  @AfterEach
  void stop() {
    ended.set(true);
    replicas.forEach(Replica::stop);
    kubernetes.close();
    server.close();
  }

  private void begun(String key, Attempt next) {
    synchronized (last) {
      Attempt before = last.put(key, next);
      running.merge(key, 1, Integer::sum);
      boolean shared = next.ownership().equals("everywhere");
      if (before != null) {
        boolean same =
            before.replica().equals(next.replica()) && before.ownership().equals(next.ownership());
        boolean everywhere = shared && before.ownership().equals(next.ownership());
        boolean grows = before.epoch() < next.epoch();
        if (!grows && !((same || everywhere) && before.epoch() == next.epoch())) {
          violations.add(key + ": " + before + ", then " + next);
        }
        if (!shared && running.getOrDefault(key, 0) > 1) {
          violations.add(key + ": two attempts at once: " + before + ", " + next);
        }
      }
    }
  }

  private void ended(String key, long count) {
    synchronized (last) {
      running.merge(key, -1, Integer::sum);
      read.merge(key, count, Math::max);
    }
  }

  /** Changes the objects one after the other; returns the last count of each. */
  private Thread load() {
    return Thread.ofVirtual()
        .start(() -> {
          for (int count = 1; !ended.get(); count++) {
            change(count);
            LockSupport.parkNanos(20_000_000);
          }
        });
  }

  private void change(int count) {
    for (int i = 0; i < OBJECTS; i++) {
      String text = Integer.toString(count);
      kubernetes
          .resource(V1ConfigMap.class)
          .modify(Request.of("default", "k-" + i), map -> map.putDataItem("count", text));
    }
  }

  @Test
  void epochsNeverFall_noRequestRunsTwice_andNothingIsLost_whileARollOutChangesTheOwnership()
      throws Exception {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(new V1ObjectMeta().namespace("default").name("k-" + i))
                  .putDataItem("count", "0"));
    }
    Thread load = load();
    Replica before = null;
    int number = 0;
    for (String ownership :
        List.of("sharded", "sharded", "leader", "sharded", "everywhere", "leader", "everywhere")) {
      Replica next = new Replica("r" + number++, ownership);
      Replica old = before;
      if (old != null) {
        // The old one goes on until the new one has begun to compare.
        Admin.await(() -> !next.state().equals("starting"));
        old.stop();
      }
      next.awaitRunning();
      awaitAllBy(next);
      before = next;
    }
    ended.set(true);
    load.join();
    change(1_000_000);
    Admin.await(() -> {
      synchronized (last) {
        return read.values().stream().filter(count -> count == 1_000_000).count() == OBJECTS;
      }
    });
    synchronized (last) {
      assertThat(violations).isEmpty();
    }
  }

  private void awaitAllBy(Replica replica) {
    Admin.await(() -> {
      synchronized (last) {
        return last.values().stream().filter(one -> one.replica().equals(replica.name)).count()
            == OBJECTS;
      }
    });
  }

  private final class Replica {
    private final String name;
    private final String ownership;
    private final Host host;
    private final Admin admin;
    private boolean stopped;

    Replica(String name, String ownership) {
      this.name = name;
      this.ownership = ownership;
      host =
          new Host(
              Admin.configuration(
                  name,
                  "changes.pauses.enabled=false",
                  "membership.renewPeriod=200ms",
                  "controllers.counter.ownership=" + ownership),
              List.of(new Counter()),
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

    void awaitRunning() {
      Admin.await(() -> state().equals("running"));
    }

    String state() {
      return StreamSupport.stream(
              admin.get("/controllers?scope=local").path("items").spliterator(), false)
          .findFirst()
          .orElseThrow()
          .path("state")
          .asText();
    }

    private final class Counter implements ControllerDefinition {
      @Override
      public String name() {
        return "counter";
      }

      @Override
      public Controller<?> create(ControllerEnvironment environment) {
        Kubernetes own = environment.get(Kubernetes.class);
        return Controller.named("counter")
            .watches(own.kind(V1ConfigMap.class).inNamespace("default").toSource())
            .reconciles((request, context) -> reconcile(own, request, context));
      }

      private Result reconcile(Kubernetes own, Request request, ReconcileContext context)
          throws Exception {
        if (!request.name().startsWith("k-")) {
          return Result.done();
        }
        begun(request.name(), new Attempt(name, ownership, context.epoch()));
        long count = -1;
        try {
          V1ConfigMap found = own.resource(V1ConfigMap.class).get(request).orElseThrow();
          count = Long.parseLong(Objects.requireNonNull(found.getData()).get("count"));
        } finally {
          ended(request.name(), count);
        }
        return Result.done();
      }
    }
  }
}
