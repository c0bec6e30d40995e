// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A controller whose ownership a roll-out changes while its objects change. Its epochs went down: that
 * of the slot of its name is another one than those of the slots of its requests, and 0 followed when
 * every replica ran it.
 */
class OwnershipChangeTest extends ReplicaFixture {

  private static final String NAME = "counter";
  private static final int OBJECTS = 12;

  private final AtomicBoolean ended = new AtomicBoolean();

  /** The last attempt that has begun for each object, and the count that it read; by its lock. */
  private final Map<String, Attempt> last = new HashMap<>();

  private final Map<String, Long> read = new HashMap<>();
  private final Map<String, Integer> running = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  private record Attempt(String replica, String ownership, long epoch) {}

  @AfterEach
  void end() {
    ended.set(true);
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
      user.resource(V1ConfigMap.class)
          .modify(Request.of("default", "k-" + i), map -> map.putDataItem("count", text));
    }
  }

  @Test
  void epochsNeverFall_noRequestRunsTwice_andNothingIsLost_whileARollOutChangesTheOwnership()
      throws Exception {
    for (int i = 0; i < OBJECTS; i++) {
      user.resource(V1ConfigMap.class)
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
      Replica next = started("r" + number++, ownership);
      Replica old = before;
      if (old != null) {
        // The old one goes on until the new one has begun to compare.
        Admin.await(() -> !Set.of("", "starting").contains(next.state(NAME)));
        old.stop();
      }
      next.awaitState(NAME, "running");
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

  private Replica started(String name, String ownership) {
    Definition counter =
        new Definition(
            NAME,
            environment -> {
              Kubernetes own = environment.get(Kubernetes.class);
              return Controller.named(NAME)
                  .watches(own.kind(V1ConfigMap.class).inNamespace("default").toSource())
                  .reconciles((request, context) ->
                      reconcile(own, request, new Attempt(name, ownership, context.epoch())));
            });
    Replica replica =
        replica(
            name,
            List.of(counter),
            "changes.pauses.enabled=false",
            "membership.renewPeriod=200ms",
            "controllers.counter.ownership=" + ownership);
    replica.start();
    return replica;
  }

  private Result reconcile(Kubernetes own, Request request, Attempt attempt) throws Exception {
    if (!request.name().startsWith("k-")) {
      return Result.done();
    }
    begun(request.name(), attempt);
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
