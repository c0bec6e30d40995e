// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.KindDefinitions;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Hosts with a controller whose kind is not installed, one that may not read its kind, and one that
 * is well.
 */
class SyncTimeoutTest extends ReplicaFixture {

  private static final int SLOTS = 16;

  private static final String GHOSTS = KindDefinitions.of("test.coxswain.dev", "Ghost");

  private static final String GHOST =
      """
      apiVersion: test.coxswain.dev/v1
      kind: Ghost
      metadata: {name: casper, namespace: default}
      """;

  private final Set<String> reconciled = ConcurrentHashMap.newKeySet();

  private void refuseSecrets() {
    server
        .faults()
        .failNext(Integer.MAX_VALUE, 403, Duration.ZERO, uri -> uri.contains("/secrets"));
  }

  @Test
  void theControllerIsShownAsFailed_withKindAndError_andTheOthersRun() {
    refuseSecrets();
    Replica one = started("one");
    one.awaitState("ghosts", "failed");
    one.awaitState("locked", "failed");
    // The limit may pass before the first response.
    Admin.await(
        () -> one.shown("ghosts").path("error").asText().contains("CustomResourceDefinition"));
    Admin.await(() -> one.shown("locked").path("error").asText().contains("answered 403"));

    JsonNode ghosts = one.shown("ghosts");
    assertThat(ghosts.path("error").asText())
        .startsWith("did not sync within 300ms: source \"Ghost.test.coxswain.dev\" (")
        .contains("check that its CustomResourceDefinition is installed");
    assertThat(ghosts.at("/conditions/0/type").asText()).isEqualTo("syncTimedOut");
    assertThat(ghosts.at("/sources/0/synced").asBoolean()).isFalse();
    assertThat(ghosts.at("/options/syncTimeout").asText()).isEqualTo("300ms");
    assertThat(one.shown("locked").path("error").asText())
        .contains("source \"Secret\"", "GET /api/v1/secrets answered 403");

    one.awaitState("well", "running");
    create("default", "a");
    Admin.await(() -> reconciled.contains("well one a"));
    Admin.await(() -> one.admin.readiness().statusCode() == 200);
    assertThat(one.admin.readiness().body())
        .contains(
            "[!]controller/ghosts: cannot be started: did not sync within 300ms: source",
            "[!]controller/ghosts/syncTimedOut: did not sync within 300ms",
            "[+]controller/well");
    assertThat(failedStarts(one, "ghosts")).as("once, although it goes on trying").isEqualTo(1);
    assertThat(failedStarts(one, "well")).isZero();
  }

  @Test
  void afterTheCauseIsRepaired_itRuns_withoutARestart() {
    refuseSecrets();
    Replica one = started("one");
    one.awaitState("ghosts", "failed");
    one.awaitState("locked", "failed");
    String started = one.shown("ghosts").path("startedAt").asText();

    server.apply(GHOSTS);
    server.apply(GHOST);
    server.faults().reset();
    user.resource(V1Secret.class)
        .create(new V1Secret().metadata(new V1ObjectMeta().namespace("default").name("key")));

    Admin.await(() -> reconciled.contains("ghosts one casper"));
    Admin.await(() -> reconciled.contains("locked one key"));
    one.awaitState("ghosts", "running");
    one.awaitState("locked", "running");
    JsonNode ghosts = one.shown("ghosts");
    assertThat(ghosts.has("error")).isFalse();
    assertThat(ghosts.path("conditions")).isEmpty();
    assertThat(ghosts.path("startedAt").asText()).isEqualTo(started);
    Admin.await(() -> one.admin.readiness().body().contains("[+]controller/ghosts"));
    assertThat(one.admin.readiness().body()).doesNotContain("syncTimedOut");
  }

  @Test
  void slotsMove_althoughAControllerHasNotSynced() {
    Replica one = started("one");
    one.awaitState("ghosts", "failed");
    Replica two = started("two");
    // Slots move in steps: with the first four of them no map of this test need be among them.
    Admin.await(() -> two.openSlots("two") == SLOTS / 2 && two.openSlots("one") == SLOTS / 2);
    two.awaitState("ghosts", "failed");

    for (int i = 0; i < 30; i++) {
      create("default", "map" + i);
    }
    Admin.await(() ->
        reconciled.stream().filter(one1 -> one1.startsWith("well") && one1.contains("map")).count()
            >= 30);
    assertThat(reconciled).anyMatch(text -> text.startsWith("well two map"));
    server.apply(GHOSTS);
    server.apply(GHOST);
    Admin.await(() -> reconciled.stream().anyMatch(text -> text.startsWith("ghosts")));
  }

  private Replica started(String name) {
    Replica replica =
        new Replica(
            name,
            Admin.configuration(
                name,
                "changes.pauses.enabled=false",
                "membership.renewPeriod=200ms",
                "membership.slots=" + SLOTS,
                "controllers.ghosts.syncTimeout=300ms",
                "controllers.locked.syncTimeout=300ms"),
            List.of(
                definition(
                    "ghosts",
                    name,
                    k8s ->
                        k8s.kind(
                                ResourceType.unstructured(
                                    "test.coxswain.dev", "v1", "ghosts", "Ghost", true))
                            .toSource()),
                definition("locked", name, k8s -> k8s.kind(V1Secret.class).toSource()),
                definition("well", name, k8s -> k8s.kind(V1ConfigMap.class).toSource())),
            Kubernetes.of(
                new ApiClient().setBasePath(server.url()),
                KubernetesOptions.DEFAULT,
                CacheOptions.DEFAULT.with(with ->
                    with.absentApiWait(Duration.ofMillis(100))
                        .minBackoff(Duration.ofMillis(50))
                        .maxBackoff(Duration.ofMillis(200))),
                Clock.system()));
    replica.start();
    return replica;
  }

  private ControllerDefinition definition(
      String controller, String replica, Function<Kubernetes, KindSource<?>> source) {
    return new Definition(
        controller,
        environment ->
            Controller.named(controller)
                .watches(source.apply(environment.get(Kubernetes.class)))
                .reconciles((request, context) -> {
                  reconciled.add(controller + " " + replica + " " + request.name());
                  return Result.done();
                }));
  }

  private static double failedStarts(Replica replica, String controller) {
    return replica
        .metrics
        .registry()
        .get("coxswain_controller_start_failures_total")
        .tag("controller", controller)
        .counter()
        .count();
  }
}
