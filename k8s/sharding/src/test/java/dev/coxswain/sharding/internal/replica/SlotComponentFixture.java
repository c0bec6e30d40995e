// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.view.SlotView;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/**
 * Replicas in one process that divide the slots over a real API server. Their controllers are a fake
 * that records what is open.
 */
abstract class SlotComponentFixture {

  static final int SLOTS = 8;

  /** Shorter than a Lease, since a replica that ends here gives its Lease back. */
  private static final Duration CALM = Duration.ofSeconds(1);

  static final Request MAP = Request.of("default", "x-slots");

  final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  final Kubernetes admin = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  final List<Replica> replicas = new ArrayList<>();

  @AfterEach
  void close() {
    replicas.forEach(Replica::stop);
    admin.close();
    server.close();
  }

  Replica replica(String name, int weight) {
    return replica(name, weight, SLOTS);
  }

  /** Starts a replica that is configured with a number of slots. */
  Replica replica(String name, int weight, int count) {
    return replica(name, weight, count, SlotDivision.KEY);
  }

  /** Starts a replica that is configured with a division into slots. */
  Replica replica(String name, int weight, int count, SlotDivision slotsBy) {
    Replica replica = opened(name, weight, count, slotsBy);
    replica.slots.start().await();
    return replica;
  }

  /** A replica that reads the slot map, and does not take part yet. */
  Replica opened(String name, int weight, int count) {
    return opened(name, weight, count, SlotDivision.KEY);
  }

  private Replica opened(String name, int weight, int count, SlotDivision slotsBy) {
    Replica replica = new Replica(name, weight, count, slotsBy);
    replicas.add(replica);
    return replica;
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited in vain for " + what).isLessThan(deadline);
      LockSupport.parkNanos(5_000_000);
    }
  }

  static Set<Integer> all() {
    Set<Integer> all = new TreeSet<>();
    for (int slot = 0; slot < SLOTS; slot++) {
      all.add(slot);
    }
    return all;
  }

  Resource<V1ConfigMap> maps() {
    return admin.resource(V1ConfigMap.class);
  }

  String holder(String lease) {
    return admin.resource(V1Lease.class).get(Request.of("default", lease)).stream()
        .map(found ->
            Objects.requireNonNullElse(
                Objects.requireNonNull(found.getSpec()).getHolderIdentity(), ""))
        .findFirst()
        .orElse("");
  }

  /** Ends the holder of a Lease, as a replica does that has observed it expire. */
  void takeLease(String lease) {
    admin
        .resource(V1Lease.class)
        .modify(
            Request.of("default", lease),
            found -> {
              V1ObjectMeta metadata = Objects.requireNonNull(found.getMetadata());
              V1LeaseSpec spec = Objects.requireNonNull(found.getSpec());
              metadata.putAnnotationsItem(
                  "coxswain.dev/last-holder", Objects.requireNonNull(spec.getHolderIdentity()));
              spec.setHolderIdentity("");
            });
  }

  /** One replica of this process. */
  final class Replica {
    final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
    final RecordingControllers controllers = new RecordingControllers();
    final ReplicaMembership membership;
    final SlotComponent slots;
    private boolean stopped;

    Replica(String name, int weight, int count, SlotDivision slotsBy) {
      membership =
          new ReplicaMembership(
              new Membership(
                  "default",
                  "x",
                  "127.0.0.1",
                  5,
                  Duration.ofSeconds(6),
                  Duration.ofMillis(500),
                  count,
                  slotsBy,
                  weight),
              name,
              "none",
              kubernetes,
              Clock.system());
      slots =
          new SlotComponent(
              membership, kubernetes, "1", Duration.ofSeconds(20), CALM, Clock.system());
      membership.start().await();
      slots.open(controllers).await();
    }

    SlotView view() {
      return slots.view();
    }

    /** Ends the replica, which hands nothing over; its Lease shows that, as after a fence. */
    void end() {
      membership.stop().await();
    }

    void stop() {
      if (!stopped) {
        stopped = true;
        slots.stop().await();
        slots.close().await();
        membership.stop().await();
        kubernetes.close();
      }
    }
  }
}
