// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.ForeignObjectException;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.guide.Distribution;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.internal.access.AuthenticatedAccess;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSelection;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.source.Acquisition;
import dev.coxswain.source.Presence;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testing.Await;
import dev.coxswain.verticle.ControllerVerticle;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One access to a hub and two members, each with an API server of its own. */
class ClustersTest {

  private static final Request COLOURS = Request.of("default", "colours");
  private static final CacheOptions FAST =
      CacheOptions.DEFAULT
          .withMinBackoff(Duration.ofMillis(1))
          .withMaxBackoff(Duration.ofMillis(100));

  private final Vertx vertx = Vertx.vertx();
  private final EmbeddedApiServer hub = server(0);
  private final EmbeddedApiServer eu = server(0);
  private EmbeddedApiServer us = server(0);
  private final AtomicReference<Duration> left = new AtomicReference<>(WriteGuard.UNLIMITED);
  private final Kubernetes k8s =
      KubernetesRuntime.of(to(hub.url(), ""))
          .withClusters(List.of(to(us.url(), "us"), to(eu.url(), "eu")));
  private final Kubernetes guarded = KubernetesRuntime.of(k8s).guardedBy(left::get);

  private static EmbeddedApiServer server(int port) {
    return EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults().withPort(port));
  }

  private static Kubernetes to(String address, String cluster) {
    try {
      return Kubernetes.of(
          AuthenticatedAccess.anonymous(address, Map.of()),
          KubernetesOptions.DEFAULT.withCluster(cluster),
          FAST,
          Clock.system());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void close() {
    Await.get(vertx.close());
    k8s.close();
    hub.close();
    eu.close();
    us.close();
  }

  private static V1ConfigMap map(String name, String value) {
    return new V1ConfigMap()
        .metadata(
            new V1ObjectMeta().namespace("default").name(name).putLabelsItem("distribute", "yes"))
        .putDataItem("v", value);
  }

  private Resource<V1ConfigMap> maps(String cluster) {
    return (cluster.isEmpty() ? k8s : k8s.cluster(cluster)).resource(V1ConfigMap.class);
  }

  private String value(String cluster) {
    return maps(cluster).get(COLOURS).map(one -> one.getData().get("v")).orElse("none");
  }

  private ControllerVerticle<?> deploy(Controller<?> controller) {
    ControllerVerticle<?> verticle =
        new ControllerVerticle<>(
            controller,
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 100, Clock.system()),
                _ -> ControllerTelemetry.NONE,
                Clock.system(),
                Duration.ZERO));
    Await.get(vertx.deployVerticle(verticle));
    return verticle;
  }

  private Controller<?> distribution() {
    return new Distribution().create(new Environment(guarded));
  }

  private record Environment(Kubernetes kubernetes) implements ControllerEnvironment {
    @Override
    public <T> T get(Class<T> type) {
      return type.cast(kubernetes);
    }

    @Override
    public Map<String, Object> config() {
      return Map.of();
    }

    @Override
    public Clock clock() {
      return Clock.system();
    }
  }

  @Test
  void anObjectOfTheHub_isCopiedToAllMembers_keptAsItIs_andRemovedWithIt() {
    maps("").create(map("colours", "red"));
    deploy(distribution());
    Await.until("copies", () -> value("eu").equals("red") && value("us").equals("red"));
    maps("").modify(COLOURS, one -> one.putDataItem("v", "blue"));
    Await.until("a change", () -> value("eu").equals("blue") && value("us").equals("blue"));
    maps("eu").modify(COLOURS, one -> one.putDataItem("v", "other"));
    Await.until("a changed copy", () -> value("eu").equals("blue"));
    maps("us").delete(COLOURS);
    Await.until("a removed copy", () -> value("us").equals("blue"));
    maps("").delete(COLOURS);
    Await.until("the end", () -> value("eu").equals("none") && value("us").equals("none"));
  }

  /** No item led to the cluster after the start, so its copies were not watched, and stayed. */
  @Test
  void aCopyWhoseOriginalWasDeletedWhileNoControllerRan_isRemoved() {
    maps("eu").create(map("colours", "red"));
    maps("eu").modify(COLOURS, one -> one.getMetadata().putLabelsItem("distributed", "yes"));
    deploy(distribution());
    Await.until("the end", () -> value("eu").equals("none"));
  }

  @Test
  void aMemberThatIsAbsentAtTheStart_delaysOnlyItsOwnItems_andReceivesAllWhenItComes() {
    int port = URI.create(us.url()).getPort();
    us.close();
    maps("").create(map("colours", "red"));
    ControllerVerticle<?> verticle = deploy(distribution());
    Await.until("the copy of the other", () -> value("eu").equals("red"));
    Await.until(
        () -> "a problem in " + k8s.caches(),
        () ->
            k8s.caches().stream()
                .anyMatch(cache ->
                    cache.name().equals("ConfigMap of cluster us labels distributed=yes")
                        && cache.problem().orElse("").contains("of cluster us got no usable")));
    assertThat(verticle.handle().status().sources())
        .anySatisfy(source ->
            assertThat(source.problem())
                .contains("GET /api/v1/configmaps of cluster us got no usable answer"));
    us = server(port);
    Await.until("the copy", () -> value("us").equals("red"));
  }

  @Test
  void afterLostOwnership_writesToAMemberAreRefused_asThoseToTheHub() {
    Resource<V1ConfigMap> eu = guarded.cluster("eu").resource(V1ConfigMap.class);
    eu.create(map("colours", "red"));
    left.set(Duration.ZERO);
    assertThatThrownBy(() -> eu.modify(COLOURS, one -> one.putDataItem("v", "late")))
        .isInstanceOf(LostOwnershipException.class);
    assertThatThrownBy(
            () -> guarded.unbound().cluster("eu").resource(V1ConfigMap.class).delete(COLOURS))
        .isInstanceOf(LostOwnershipException.class);
    assertThat(value("eu")).isEqualTo("red");
  }

  @Test
  void objectsOfSeveralClusters_areItemsOfTheirOwn_andReadByTheirRequests() {
    maps("eu").create(map("colours", "red"));
    maps("us").create(map("colours", "blue"));
    RecordingSink sink = new RecordingSink();
    Request request = COLOURS.inCluster("eu");
    KindSource<V1ConfigMap> source = named("eu");
    Await.get(source.start(sink));
    sink.awaitAdded("default/eu/colours -100 INITIAL_LIST");
    assertThat(source.describe()).isEqualTo("ConfigMap of cluster eu");
    assertThat(source.get(request)).isPresent().isEqualTo(source.get(COLOURS));
    assertThat(source.holds(request)).isTrue();
    assertThat(source.presence(request)).isEqualTo(Presence.HELD);
    Request foreign = COLOURS.inCluster("us");
    assertThat(source.holds(foreign)).isFalse();
    assertThat(source.presence(foreign)).isEqualTo(Presence.UNKNOWN);
    assertThatThrownBy(() -> source.get(foreign)).hasMessageContaining("no object of cluster us");
    // The host's item of the same name is another object.
    assertThat(source.holds(COLOURS)).isFalse();
    assertThat(source.presence(COLOURS)).isEqualTo(Presence.UNKNOWN);
    var everything = source.selecting("!absent").orElseThrow();
    assertThat(everything.test(request)).isTrue();
    assertThat(everything.test(COLOURS)).isFalse();
    assertThatThrownBy(() -> maps("eu").delete(request))
        .hasMessageContaining("\"eu/colours\" names a cluster");
    assertThat(value("eu")).isEqualTo("red");
    maps("eu").create(map("new", "red"));
    Await.until(sink.added()::toString, () -> sink.added().size() == 2);
    assertThat(sink.origins().getLast().name()).isEqualTo("eu/new");
    KindSelection<V1ConfigMap> ofEu = k8s.cluster("eu").kind(V1ConfigMap.class);
    ofEu.readYourWrites(guarded.cluster("eu").ownWrites()).toSource();
    assertThatThrownBy(() -> ofEu.readYourWrites(k8s.ownWrites()))
        .hasMessageContaining("writes to another cluster");
    Await.get(source.stop());
  }

  private KindSource<V1ConfigMap> named(String cluster) {
    return k8s.cluster(cluster)
        .kind(V1ConfigMap.class)
        .handledBy(Handlers.inCluster(cluster, Handlers.object()))
        .toSource();
  }

  @Test
  void ofAMember_aReplicaKeepsTheObjectsOfItsSlots_andRefusesToReadOthers() {
    NumberedSlots slots = new NumberedSlots(4, false);
    KeptSlots kept = new KeptSlots(slots);
    KubernetesRuntime.of(k8s).keepOnly(kept);
    for (int i = 0; i < 4; i++) {
      maps("eu").create(map("x" + i, "red"));
    }
    Await.get(kept.keep(List.of(1)));
    KindSource<V1ConfigMap> source = named("eu");
    Await.get(source.start(new RecordingSink(true)));
    assertThat(source.owned().keys())
        .isNotEmpty()
        .allMatch(key -> slots.slotOf("default", "eu/" + key.name()) == 1);
    List<String> foreign =
        IntStream.range(0, 4)
            .mapToObj(i -> "x" + i)
            .filter(name -> slots.slotOf("default", "eu/" + name) != 1)
            .toList();
    assertThat(foreign)
        .isNotEmpty()
        .allSatisfy(name ->
            assertThatThrownBy(() -> source.get(Request.of("default", "eu/" + name)))
                .isInstanceOf(ForeignObjectException.class));
    Await.get(source.stop());
  }

  /** The list of clusters may change between two replicas, so that a source has another index. */
  @Test
  void aPositionOfAnotherCluster_countsAsNone() {
    maps("eu").create(map("colours", "red"));
    RecordingSink sink = new RecordingSink(true);
    KindSource<V1ConfigMap> source = named("eu");
    Await.get(source.start(sink));
    sink.awaitAdded("default/eu/colours -100 INITIAL_LIST");
    Await.until("a position", () -> source.position().startsWith("eu/"));
    source.redeliver(new Acquisition<>(_ -> true, _ -> true, source.position()));
    source.redeliver(new Acquisition<>(_ -> true, _ -> true, "us/9999999"));
    Await.until(sink.added()::toString, () -> sink.added().size() == 2);
    assertThat(sink.added().getLast()).contains("default/eu/colours");
    Await.get(source.stop());
  }

  @Test
  void aFailedRequest_namesTheCluster() {
    assertThatThrownBy(() -> maps("eu").create(map("Not A Name", "red")))
        .isInstanceOf(ApiStatusException.class)
        .hasMessageContaining("POST /api/v1/namespaces/default/configmaps of cluster eu answered");
  }

  @Test
  void anUnknownCluster_isAnErrorWithTheNamesOfAll() {
    assertThat(k8s.clusters()).containsExactly("eu", "us");
    assertThat(k8s.cluster("eu").clusters()).isEmpty();
    assertThatThrownBy(() -> guarded.cluster("asia"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no cluster \"asia\" is configured: add it to kubernetes.clusters; there are [eu, us]");
    assertThatThrownBy(() -> KubernetesRuntime.of(k8s).withClusters(List.of(to(eu.url(), ""))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aToolThatObservesRights_buildsAControllerOfAnyCluster_andFindsThoseOfTheHubOnly() {
    List<String> selected = new ArrayList<>();
    Kubernetes observed =
        KubernetesRuntime.of(to(hub.url(), ""))
            .observedBy(
                new KubernetesRuntime.AccessObserver() {
                  @Override
                  public void selected(ResourceType<?> type) {
                    selected.add(type.plural());
                  }

                  @Override
                  public void accessed(ResourceType<?> type) {}
                });
    observed.kind(V1ConfigMap.class);
    observed.cluster("asia").kind(V1Secret.class);
    assertThat(selected).containsExactly("configmaps");
  }

  @Test
  void watchedNamespaces_restrictAllClusters_andTheEndStopsTheCachesOfAll() {
    Kubernetes some = KubernetesRuntime.of(guarded).watching(Set.of("default"));
    KindSource<V1Secret> secrets = some.cluster("eu").kind(V1Secret.class).toSource();
    Await.get(secrets.start(new RecordingSink()));
    assertThat(secrets.describe()).isEqualTo("Secret of cluster eu in default");
    some.close();
    assertThat(k8s.caches()).extracting(CacheStatus::failure).allMatch(one -> one.isEmpty());
    k8s.close();
    Await.until(
        () -> "a stop of " + k8s.caches(),
        () -> k8s.caches().size() == 1 && k8s.caches().getFirst().failure().isPresent());
    assertThatThrownBy(() -> k8s.cluster("eu").kind(V1Secret.class).openCache())
        .isInstanceOf(IllegalStateException.class);
    Await.get(secrets.stop());
  }
}
