// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.SourceRegistry;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * Two hosts, between which slots move. The reconciler of a policy adds a source of secrets, and
 * comes back after an hour: what a secret says in the meantime reaches it by an event, or never.
 */
class AddedSourceOwnershipTest extends ReplicaFixture {

  private static final int POLICIES = 60;
  private static final int SLOTS = 16;

  private static final EventHandler<V1Secret> POLICY_OF =
      Handlers.mapByMetadata(metadata ->
          metadata.getLabels() != null && metadata.getLabels().containsKey("policy")
              ? List.of(
                  Request.of(
                      Objects.requireNonNull(metadata.getNamespace()),
                      metadata.getLabels().get("policy")))
              : List.of());

  /** What an attempt has seen, and where. */
  private record Seen(String replica, String value) {}

  private final Map<String, Seen> seen = new ConcurrentHashMap<>();
  private final Replica one = replica("one", 1);
  private final Replica two = replica("two", 3);

  @Test
  void handOver_takesTheAddedSourceAlong_andNoEventOfItIsMissed() {
    for (int i = 0; i < POLICIES; i++) {
      V1ObjectMeta metadata = new V1ObjectMeta().namespace("default").name("p" + i);
      user.resource(V1ConfigMap.class)
          .create(new V1ConfigMap().metadata(metadata.putLabelsItem("role", "policy")));
      user.resource(V1Secret.class)
          .create(
              new V1Secret()
                  .metadata(
                      new V1ObjectMeta()
                          .namespace("default")
                          .name("p" + i)
                          .putLabelsItem("policy", "p" + i)));
    }
    one.startUntilReady();
    change("first");
    assertThat(seenBy("one")).as("by the only replica").isEqualTo(POLICIES);
    assertThat(addedSource(one).path("synced").asBoolean()).isTrue();

    two.startUntilReady();
    Admin.await(() -> two.openSlots("two") == SLOTS * 3 / 4 && one.openSlots("one") == SLOTS / 4);
    Admin.await(() -> addedSource(two).path("synced").asBoolean());
    change("second");
    assertThat(seenBy("two")).isGreaterThan(POLICIES / 3);
    assertThat(seenBy("one")).isPositive();
    assertThat(two.kubernetes.caches())
        .filteredOn(cache -> cache.name().contains("Secret"))
        .singleElement()
        .as("it has the objects of its own slots only")
        .satisfies(cache -> assertThat(cache.filtered()).isTrue())
        .satisfies(cache -> assertThat(cache.objects()).isBetween(1, POLICIES - 1));

    one.stop();
    Admin.await(() -> two.openSlots("two") == SLOTS);
    change("third");
    assertThat(seenBy("two")).isEqualTo(POLICIES);

    two.stop();
    assertThat(one.kubernetes.caches()).as("no watch is left").isEmpty();
    assertThat(two.kubernetes.caches()).isEmpty();
  }

  /** Changes each secret, and waits until its policy has seen it. */
  private void change(String value) {
    for (int i = 0; i < POLICIES; i++) {
      user.resource(V1Secret.class)
          .modify(
              Request.of("default", "p" + i),
              secret -> secret.putDataItem("v", value.getBytes(StandardCharsets.UTF_8)));
    }
    Admin.await(
        () -> seen.values().stream().filter(one -> one.value().equals(value)).count() == POLICIES);
  }

  private long seenBy(String replica) {
    return seen.values().stream().filter(one -> one.replica().equals(replica)).count();
  }

  private Replica replica(String name, int weight) {
    return replica(
        name,
        List.of(new Definition("policies", environment -> policies(name, environment))),
        "changes.pauses.enabled=false",
        "membership.renewPeriod=200ms",
        "membership.slots=" + SLOTS,
        "membership.weight=" + weight);
  }

  private static JsonNode addedSource(Replica replica) {
    JsonNode sources = replica.shown("policies").path("sources");
    for (JsonNode source : sources) {
      if (source.path("addedAs").asText().equals("secrets")) {
        return source;
      }
    }
    return sources.path("none");
  }

  private Controller<?> policies(String replica, ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder =
        k8s.controller("policies").forKind(k8s.kind(V1ConfigMap.class).labels("role=policy"));
    SourceRegistry<Request> registry = builder.sourceRegistry();
    return builder.reconciles((request, context) -> {
      Future<KindSource<V1Secret>> secrets =
          registry.add("secrets", () -> k8s.kind(V1Secret.class).handledBy(POLICY_OF).toSource());
      if (!secrets.isComplete()) {
        return Result.requeueAfter(Duration.ofMillis(50));
      }
      secrets
          .result()
          .get(request)
          .map(V1Secret::getData)
          .filter(data -> data.containsKey("v"))
          .ifPresent(data ->
              seen.put(
                  request.name(),
                  new Seen(replica, new String(data.get("v"), StandardCharsets.UTF_8))));
      return Result.requeueAfter(Duration.ofHours(1));
    });
  }
}
