// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.ownership.ControllerGate;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Replicas with more controllers than a Lease should name. */
class LongClaimsTest extends SlotComponentFixture {

  private static final int CONTROLLERS = 1_000;
  private static final int MOST_OF_A_LEASE = 1_500;

  @Test
  void namesOfManyControllers_areNotInTheLeases_andOwnershipIsComparedAllTheSame() {
    Replica one = replica("one", 100);
    runsAll(one, Ownership.SHARDED);
    Replica two = replica("two", 100);
    runsAll(two, Ownership.SHARDED);

    assertThat(lease("x-replica-0").length()).isLessThan(MOST_OF_A_LEASE);
    assertThat(lease("x-replica-1").length()).isLessThan(MOST_OF_A_LEASE);
    assertThat(texts(0)).containsAnyOf(texts(1).toArray(String[]::new));

    Replica other = replica("other", 100);
    ControllerGate gate = other.slots.share().gate();
    gate.admits(name(0), Ownership.LEADER, true);
    await("the reason", () -> gate.ended(name(0)).contains("one runs it with ownership sharded"));
  }

  @Test
  void textThatWasDeletedByHand_keepsNothingFromRunning() {
    Replica one = replica("one", 100);
    runsAll(one, Ownership.SHARDED);
    maps().delete(Request.of("default", "x-controllers-0"));
    replica("two", 100);
    await("slots of both", () -> holder("x-replica-1").startsWith("two"));

    assertThat(one.slots.share().gate().admits(name(7), Ownership.SHARDED, true)).isTrue();
  }

  private static void runsAll(Replica replica, Ownership ownership) {
    ControllerGate gate = replica.slots.share().gate();
    List<String> names = IntStream.range(0, CONTROLLERS).mapToObj(LongClaimsTest::name).toList();
    await(
        "all controllers of " + replica.membership.leases().own().identity(),
        () -> {
          boolean all = true;
          for (String one : names) {
            all &= gate.admits(one, ownership, true);
          }
          return all;
        });
  }

  private static String name(int number) {
    return "controller-" + number;
  }

  private String lease(String name) {
    V1Lease lease = admin.resource(V1Lease.class).get(Request.of("default", name)).orElseThrow();
    return Objects.requireNonNull(lease.getMetadata()).getAnnotations().toString();
  }

  private List<String> texts(int ordinal) {
    V1ConfigMap map = maps().get(Request.of("default", "x-controllers-" + ordinal)).orElseThrow();
    Map<String, String> data = Objects.requireNonNull(map.getData());
    return List.copyOf(data.values());
  }
}
