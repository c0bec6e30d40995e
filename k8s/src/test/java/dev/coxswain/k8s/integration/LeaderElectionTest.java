// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.lease.LeaderElection;
import dev.coxswain.k8s.lease.LeaderListener;
import dev.coxswain.k8s.lease.LeaseOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {

  /** So long that the Lease does not expire during a test, however slow. */
  private static final LeaseOptions LONG =
      new LeaseOptions(Duration.ofHours(2), Duration.ofHours(1), Duration.ofMillis(100));

  private static final LeaseOptions FENCED_SOON =
      new LeaseOptions(Duration.ofHours(2), Duration.ofSeconds(4), Duration.ofMillis(100));

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s =
      Kubernetes.at(server.url(), KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofSeconds(1)));
  private final List<String> calls = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private LeaderElection candidate(String identity, LeaseOptions options) {
    LeaderElection election =
        new LeaderElection(
            k8s.transport(),
            "default",
            "test",
            identity,
            options,
            Clock.system(),
            new LeaderListener() {
              @Override
              public void onStartedLeading() {
                calls.add(identity + " starts");
              }

              @Override
              public void onStoppedLeading() {
                calls.add(identity + " stops");
              }
            });
    election.start();
    return election;
  }

  @Test
  void releaseOnStop_letsTheNextOneLead_withoutWaitingForTheLease() {
    LeaderElection first = candidate("a", LONG);
    Await.until("the first leader", first::isLeading);
    LeaderElection second = candidate("b", LONG);
    Await.until("the second to know the first", () -> second.leader().equals("a"));

    Await.get(first.stop());
    Await.until("the second leader", second::isLeading);

    Await.until(calls::toString, () -> calls.equals(List.of("a starts", "a stops", "b starts")));
    V1Lease lease = k8s.resource(V1Lease.class).get(Request.of("default", "test")).orElseThrow();
    assertThat(Objects.requireNonNull(lease.getSpec()).getLeaseTransitions()).isEqualTo(1);
    Await.get(second.stop());
  }

  @Test
  void leaderWithoutAServer_fencesItself_andLeadsAgainWhenTheServerIsBack() {
    LeaderElection election = candidate("a", FENCED_SOON);
    Await.until("a leader", election::isLeading);

    server.faults().addLatency(Duration.ofSeconds(30));
    Await.until("the fence", () -> calls.contains("a stops"));
    assertThat(election.isLeading()).isFalse();
    server.faults().reset();

    Await.until("leadership again", election::isLeading);
    Await.until(calls::toString, () -> calls.equals(List.of("a starts", "a stops", "a starts")));
    Await.get(election.stop());
  }

  /** Real time and a real server: however slow the machine is, the law holds. */
  @Test
  void underFaults_neverTwoLeadAtOnce_andSomebodyLeadsAgain() throws InterruptedException {
    LeaseOptions brief =
        new LeaseOptions(Duration.ofSeconds(3), Duration.ofMillis(1_500), Duration.ofMillis(100));
    List<LeaderElection> candidates =
        List.of(candidate("a", brief), candidate("b", brief), candidate("c", brief));
    AtomicBoolean watching = new AtomicBoolean(true);
    AtomicBoolean two = new AtomicBoolean();
    Thread watcher =
        Thread.ofVirtual()
            .start(() -> {
              while (watching.get()) {
                for (LeaderElection one : candidates) {
                  for (LeaderElection other : candidates) {
                    // Before and after the other: led all the while.
                    if (one != other && one.isLeading() && other.isLeading() && one.isLeading()) {
                      two.set(true);
                    }
                  }
                }
                LockSupport.parkNanos(500_000);
              }
            });
    for (int round = 0; round < 4; round++) {
      Await.until("a leader", () -> candidates.stream().anyMatch(LeaderElection::isLeading));
      if (round % 2 == 0) {
        server.faults().addLatency(Duration.ofSeconds(30));
        Await.until("the fence", () -> candidates.stream().noneMatch(LeaderElection::isLeading));
        server.faults().reset();
      } else {
        server.faults().failNext(20, 500, Duration.ZERO, uri -> uri.contains("leases"));
      }
    }
    Await.until("a leader again", () -> candidates.stream().anyMatch(LeaderElection::isLeading));
    watching.set(false);
    watcher.join();

    assertThat(two).as("two led at once").isFalse();
    candidates.forEach(one -> Await.get(one.stop()));
  }

  @Test
  void electionThatNeverStarted_canBeStopped() {
    LeaderElection election =
        new LeaderElection(
            k8s.transport(),
            "default",
            "never",
            "a",
            LONG,
            Clock.system(),
            new LeaderListener() {
              @Override
              public void onStartedLeading() {}

              @Override
              public void onStoppedLeading() {}
            });

    Await.get(election.stop());

    assertThat(election.isLeading()).isFalse();
  }
}
