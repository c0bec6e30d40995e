// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two hosts whose configurations give one controller different ownerships. */
class OwnershipConflictTest extends ReplicaFixture {

  private static final String MIRROR = "mirror";

  private final Set<String> reconciledBy = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @CsvSource({"sharded, everywhere", "everywhere, leader", "leader, sharded"})
  void theSecondDoesNotRunIt_saysWhy_andRunsItWhenTheFirstHasGone(String first, String second) {
    Replica one = started("one", first);
    one.awaitState(MIRROR, "running");
    create("default", "a");
    Admin.await(() -> reconciledBy.contains("one"));

    Replica two = started("two", second);
    two.awaitState(MIRROR, "failed");
    // Until the Lease of the first one says so, it "is about to run it".
    Admin.await(() ->
        two.shown(MIRROR)
            .path("error")
            .asText()
            .contains("replica one runs it with ownership " + first));
    assertThat(two.shown(MIRROR).path("error").asText())
        .contains("this replica has ownership " + second);
    assertThat(two.admin.readiness().body())
        .contains("[!]controller/mirror/ownershipDiffers: replica one");
    Admin.await(() -> two.admin.readiness().statusCode() == 200); // a roll-out goes on
    assertThat(one.state(MIRROR)).isEqualTo("running");
    assertThat(one.admin.readiness().body()).doesNotContain("ownershipDiffers");

    create("default", "b");
    assertThat(reconciledBy).containsOnly("one");
    one.stop();
    two.awaitState(MIRROR, "running");
    Admin.await(() -> reconciledBy.contains("two"));
    Admin.await(() -> !two.admin.readiness().body().contains("ownershipDiffers"));
  }

  @ParameterizedTest
  @CsvSource({"sharded, everywhere"})
  void ofTwoThatStartAtOnce_oneRunsIt_andTheOtherSaysWhy(String first, String second) {
    Replica one = started("one", first);
    Replica two = started("two", second);
    Admin.await(() ->
        Set.copyOf(List.of(one.state(MIRROR), two.state(MIRROR)))
            .equals(Set.of("running", "failed")));
    // Of the two, each has slots, and those of the one that does not run the controller wait.
    for (int i = 0; i < 20; i++) {
      create("default", "a" + i);
    }
    Admin.await(() -> !reconciledBy.isEmpty());
    Replica failed = one.state(MIRROR).equals("failed") ? one : two;
    assertThat(failed.admin.readiness().body()).contains("[!]controller/mirror/ownershipDiffers: ");
  }

  private Replica started(String name, String ownership) {
    Definition mirror =
        new Definition(
            MIRROR,
            environment ->
                Controller.named(MIRROR)
                    .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
                    .reconciles((request, context) -> {
                      reconciledBy.add(name);
                      return Result.done();
                    }));
    Replica replica =
        replica(
            name,
            List.of(mirror),
            "changes.pauses.enabled=false",
            "membership.renewPeriod=200ms",
            "controllers.mirror.ownership=" + ownership);
    replica.start();
    return replica;
  }
}
