// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus.Taken;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplicaLeasesTest {

  /** So long that no Lease expires during a test, however slow. */
  private static final LeaseOptions LONG =
      new LeaseOptions(Duration.ofHours(2), Duration.ofHours(1), Duration.ofMillis(100));

  private static final LeaseOptions FENCED_SOON =
      new LeaseOptions(Duration.ofHours(2), Duration.ofSeconds(4), Duration.ofMillis(100));

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private ReplicaLeases replica(String name, LeaseOptions times) {
    ReplicaLeases leases =
        new ReplicaLeases(
            KubernetesRuntime.of(k8s).transport(),
            new MembershipOptions("default", "test", 3, name, "one", times),
            Clock.system(),
            () -> false);
    leases.announce("admin", "http://" + name);
    leases.start();
    return leases;
  }

  @Test
  void replicasThatStartAtOnce_getLeasesOfTheirOwn_andSeeEachOther_andTheFourthWaitsForOne() {
    List<ReplicaLeases> three = Stream.of("a", "b", "c").map(name -> replica(name, LONG)).toList();
    for (ReplicaLeases one : three) {
      Await.until("a lease", one::mayAct);
      Await.until("a view of all", () -> one.status().taken().size() == 3);
    }
    assertThat(
            three.stream()
                .map(one -> one.held().orElseThrow().ordinal())
                .collect(Collectors.toSet()))
        .isEqualTo(Set.of(0, 1, 2));
    assertThat(three.getFirst().status().taken())
        .extracting(Taken::replica)
        .containsExactlyInAnyOrder("a", "b", "c");
    assertThat(three.getFirst().status().taken())
        .allSatisfy(taken ->
            assertThat(taken.addresses()).containsEntry("admin", "http://" + taken.replica()));

    ReplicaLeases fourth = replica("d", LONG);
    Await.until(
        "a look around", () -> fourth.status().problem().startsWith("all 3 replica leases"));
    assertThat(fourth.mayAct()).isFalse();

    int free = three.get(1).held().orElseThrow().ordinal();
    Await.get(three.get(1).stop());
    assertThat(three.get(1).mayAct()).isFalse();
    Await.until("the free lease", fourth::mayAct);
    assertThat(fourth.held().orElseThrow().ordinal()).isEqualTo(free);
    V1Lease lease =
        k8s.resource(V1Lease.class).get(Request.of("default", "test-" + free)).orElseThrow();
    assertThat(Objects.requireNonNull(lease.getSpec()).getHolderIdentity()).startsWith("d_");
    assertThat(lease.getSpec().getLeaseTransitions()).isEqualTo(1);
    Stream.of(three.get(0), three.get(2), fourth).forEach(one -> Await.get(one.stop()));
  }

  @Test
  void replicaWhoseLeaseIsReleased_acquiresAnother_underANewIdentity() {
    ReplicaLeases leases = replica("a", LONG);
    Await.until("a lease", leases::mayAct);
    String before = leases.status().identity();
    k8s.resource(V1Lease.class)
        .modify(
            Request.of("default", "test-0"),
            lease -> Objects.requireNonNull(lease.getSpec()).setHolderIdentity(""));

    Await.until(
        "another identity", () -> leases.mayAct() && !leases.status().identity().equals(before));
    Await.get(leases.stop());
  }

  /** Its Lease is read one by one: a list comes with each change of the own Lease, or after an hour. */
  @Test
  void amongManyReplicas_theLeaseOfADeadOneIsEnded() {
    V1LeaseSpec spec = new V1LeaseSpec();
    spec.setHolderIdentity("dead_1");
    spec.setLeaseDurationSeconds(2);
    V1Lease dead = new V1Lease();
    dead.setMetadata(
        new V1ObjectMeta()
            .namespace("default")
            .name("test-0")
            .putLabelsItem(ReplicaLeaseTable.LABEL, "test"));
    dead.setSpec(spec);
    k8s.resource(V1Lease.class).create(dead);
    List<ReplicaLeases> others =
        Stream.of("a", "b", "c", "d", "e")
            .map(name -> {
              ReplicaLeases leases =
                  new ReplicaLeases(
                      KubernetesRuntime.of(k8s).transport(),
                      new MembershipOptions("default", "test", 120, name, "one", LONG, 1),
                      Clock.system(),
                      () -> false);
              leases.start();
              return leases;
            })
            .toList();

    Await.until(
        "its end",
        () ->
            k8s.resource(V1Lease.class).get(Request.of("default", "test-0")).stream()
                .map(lease -> Objects.requireNonNull(lease.getMetadata()).getAnnotations())
                .anyMatch(annotations ->
                    annotations != null
                        && "dead_1".equals(annotations.get(LeaseRecord.LAST_HOLDER))));
    // The Lease has changed before the replica that changed it has the response and counts it.
    Await.until("its count", () -> others.stream().mapToLong(ReplicaLeases::fenced).sum() > 0);
    others.forEach(one -> Await.get(one.stop()));
    assertThat(others.stream().mapToLong(ReplicaLeases::fenced).sum()).isEqualTo(1);
  }

  @Test
  void replicaWithoutAServer_stopsActing_andGoesOnWhenTheServerIsBack() {
    ReplicaLeases leases = replica("a", FENCED_SOON);
    Await.until("the pool", leases::poolAllowed);

    server.faults().addLatency(Duration.ofSeconds(30));
    Await.until("the pool to be left alone", () -> !leases.poolAllowed());
    Await.until("the fence", () -> !leases.mayAct());
    assertThat(leases.status().problem()).contains("could not be renewed in time");

    server.faults().reset();
    Await.until("acting again", leases::mayAct);
    Await.get(leases.stop());
  }
}
