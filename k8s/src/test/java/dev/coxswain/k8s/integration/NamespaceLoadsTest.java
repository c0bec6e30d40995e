// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a replica reads with slots by namespace: the namespaces {@code team-0} to {@code team-7} in four slots, each with
 * {@value #OBJECTS} objects.
 */
class NamespaceLoadsTest {

  private static final int NAMESPACES = 8;
  private static final int OBJECTS = 20;
  private static final String ALL = "/api/v1/configmaps";
  private static final String NAMES = "/api/v1/namespaces";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  /** The targets of the requests of the replica, before they are sent. */
  private final Queue<String> requests = new ConcurrentLinkedQueue<>();

  private volatile Consumer<String> before = _ -> {};
  private final Kubernetes replica =
      Kubernetes.of(client(), KubernetesOptions.DEFAULT.withPageSize(2));
  private final KeptSlots slots = new KeptSlots(new NumberedSlots(4, true));
  private final List<KindSource<V1ConfigMap>> started = new ArrayList<>();

  private ApiClient client() {
    ApiClient client = new ApiClient().setBasePath(server.url());
    client.setHttpClient(client.getHttpClient().newBuilder().addInterceptor(this::record).build());
    return client;
  }

  private Response record(Interceptor.Chain chain) throws java.io.IOException {
    String path = chain.request().url().encodedPath();
    before.accept(path);
    boolean watch = "true".equals(chain.request().url().queryParameter("watch"));
    boolean one = "1".equals(chain.request().url().queryParameter("limit"));
    boolean next = chain.request().url().queryParameter("continue") != null;
    boolean streamed = chain.request().url().queryParameter("sendInitialEvents") != null;
    requests.add(
        (one ? "VERSION " : next ? "PAGE " : streamed ? "STREAM " : watch ? "WATCH " : "LIST ")
            + path);
    return chain.proceed(chain.request());
  }

  @BeforeEach
  void fill() {
    for (int i = 0; i < NAMESPACES; i++) {
      namespace("team-" + i);
      for (int j = 0; j < OBJECTS; j++) {
        put("team-" + i, "x" + j, "1");
      }
    }
    KubernetesRuntime.of(replica).keepOnly(slots);
  }

  @AfterEach
  void close() {
    started.forEach(source -> Await.get(source.stop()));
    replica.close();
    user.close();
    server.close();
  }

  private void namespace(String name) {
    user.resource(V1Namespace.class)
        .create(new V1Namespace().metadata(new V1ObjectMeta().name(name)));
  }

  private void put(String namespace, String name, String value) {
    user.resource(V1ConfigMap.class)
        .createOrPatch(
            Request.of(namespace, name), V1ConfigMap::new, map -> map.putDataItem("v", value));
  }

  private KindSource<V1ConfigMap> start(Integer... kept) {
    return start(Handlers.object(), kept);
  }

  private KindSource<V1ConfigMap> start(EventHandler<V1ConfigMap> handler, Integer... kept) {
    Await.get(slots.keep(List.of(kept)));
    KindSource<V1ConfigMap> source = replica.kind(V1ConfigMap.class).handledBy(handler).toSource();
    started.add(source);
    Await.get(source.start(new RecordingSink(true)));
    Await.until("the watch", () -> requests.stream().anyMatch(one -> one.endsWith(ALL)));
    Await.until("synced", () -> isSynced(source));
    return source;
  }

  private static boolean isSynced(KindSource<V1ConfigMap> source) {
    return source.statuses().stream().allMatch(CacheStatus::synced);
  }

  /** Returns the namespaces whose ConfigMaps were listed. */
  private Set<String> listed() {
    return requests.stream()
        .filter(one -> one.startsWith("LIST " + NAMES + "/"))
        .map(one -> one.split("/", -1)[4])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> namespaces(KindSource<V1ConfigMap> source) {
    return source.owned().keys().stream()
        .map(Request::namespace)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void aStart_listsTheNamespacesOfTheKeptSlots_andNothingElse() {
    KindSource<V1ConfigMap> source = start(1);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(listed()).containsExactly("team-1", "team-5");
    assertThat(requests).doesNotContain("STREAM " + ALL, "LIST " + ALL);
    put("team-1", "later", "1");
    Await.until("the watch to bring it", () -> source.owned().keys().size() == 2 * OBJECTS + 1);
  }

  @Test
  void aSlotThatIsAcquired_isLoadedFromItsNamespaces() {
    KindSource<V1ConfigMap> source = start(1);
    requests.clear();
    Await.get(slots.keep(List.of(2)));
    assertThat(namespaces(source)).containsExactly("team-1", "team-2", "team-5", "team-6");
    assertThat(listed()).containsExactly("team-2", "team-6");
    assertThat(requests).doesNotContain("STREAM " + ALL, "LIST " + ALL);
  }

  /** The watch has begun at a version before the list of namespaces. */
  @Test
  void aNamespaceThatIsMadeAfterTheNamespacesWereRead_isNotMissed() {
    before =
        path -> {
          if (path.equals(NAMES + "/team-1/configmaps")) {
            before = _ -> {};
            namespace("team-13");
            put("team-13", "x", "1");
          }
        };
    KindSource<V1ConfigMap> source = start(1);
    Await.until("its object", () -> namespaces(source).contains("team-13"));
    assertThat(listed()).containsExactly("team-1", "team-5");
  }

  /** As {@link #aNamespaceThatIsMadeAfterTheNamespacesWereRead_isNotMissed}, while the watch is behind. */
  @Test
  void aNamespaceThatIsMadeDuringALoad_isNotMissed() {
    KindSource<V1ConfigMap> source = start(1);
    before =
        path -> {
          if (path.equals(NAMES + "/team-2/configmaps")) {
            before = _ -> {};
            namespace("team-22");
            put("team-22", "x", "1");
          }
        };
    server.faults().silenceWatches(true);
    Await.get(slots.keep(List.of(2)));
    assertThat(namespaces(source)).doesNotContain("team-22");
    server.faults().silenceWatches(false);
    server.faults().closeWatches();
    Await.until("its object", () -> namespaces(source).contains("team-22"));
  }

  /** Deletions that the watch has missed are found by the differences. */
  @Test
  void aListAfterAnExpiredVersion_readsTheNamespaces_andFindsWhatIsGone() {
    KindSource<V1ConfigMap> source = start(1);
    requests.clear();
    server.faults().silenceWatches(true);
    for (int i = 0; i < OBJECTS; i++) {
      user.resource(V1ConfigMap.class).delete(Request.of("team-5", "x" + i));
    }
    put("team-1", "x0", "2");
    server.faults().compactHistory();
    server.faults().silenceWatches(false);
    server.faults().closeWatches();
    Await.until("the differences", () -> namespaces(source).equals(Set.of("team-1")));
    assertThat(source.get(Request.of("team-1", "x0")).map(ConfigMaps::value)).contains("2");
    assertThat(listed()).containsExactly("team-1", "team-5");
  }

  @Test
  void moreThanHalfOfTheNamespaces_areReadAsAWhole() {
    KindSource<V1ConfigMap> source = start(0, 1, 2);
    assertThat(namespaces(source)).hasSize(6);
    assertThat(listed()).isEmpty();
    assertThat(requests).contains("STREAM " + ALL);
  }

  @Test
  void withoutTheRightToListNamespaces_everythingIsRead() {
    server.faults().inject(Fault.fail(403).on(FaultFilter.resources("namespaces")));
    KindSource<V1ConfigMap> source = start(1);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(listed()).isEmpty();
    assertThat(requests).contains("STREAM " + ALL);
    Await.get(slots.keep(List.of(2)));
    assertThat(namespaces(source)).hasSize(4);
    assertThat(requests).contains("LIST " + ALL);
  }

  /** It may lead to a request of an own slot from any namespace. */
  @Test
  void aMappingThatMayLeaveItsNamespace_readsEverything() {
    KindSource<V1ConfigMap> source =
        start(Handlers.mapByMetadata(metadata -> List.of(Request.of("team-1", "x"))), 1);
    assertThat(listed()).isEmpty();
    assertThat(requests).contains("STREAM " + ALL);
    assertThat(source.owned().keys()).hasSizeGreaterThanOrEqualTo(NAMESPACES);
  }

  @Test
  void aMappingThatStaysInItsNamespace_readsTheNamespaces() {
    start(
        Handlers.mapInNamespace(
            metadata -> List.of(Request.of(String.valueOf(metadata.getNamespace()), "y"))),
        1);
    assertThat(listed()).containsExactly("team-1", "team-5");
  }

  /** A slot of twenty caches reads the namespaces once or twice, not twenty times. */
  @Test
  void manyCaches_shareTheListOfNamespaces() {
    for (int i = 0; i < 20; i++) {
      KindSource<V1ConfigMap> source =
          replica.kind(V1ConfigMap.class).fields("metadata.name!=none" + i).toSource();
      started.add(source);
    }
    Await.get(slots.keep(List.of(1)));
    started.forEach(source -> Await.get(source.start(new RecordingSink(true))));
    Await.until("synced", () -> started.stream().allMatch(NamespaceLoadsTest::isSynced));
    requests.clear();
    before = // the first one waits until all others have read their version
        path -> {
          if (path.equals(NAMES)) {
            before = _ -> {};
            Await.until(
                "the others",
                () -> requests.stream().filter(one -> one.equals("VERSION " + ALL)).count() == 20);
          }
        };
    Await.get(slots.keep(List.of(2)));
    assertThat(requests.stream().filter(one -> one.equals("LIST " + NAMES))).hasSizeLessThan(4);
    assertThat(started).allMatch(one -> namespaces(one).size() == 4);
  }

  /** One request costs less than many, for hardly any objects. */
  @Test
  void aResourceWithFewObjects_isReadAsAWhole() {
    for (int i = 0; i < NAMESPACES; i++) {
      user.resource(V1Secret.class)
          .create(new V1Secret().metadata(new V1ObjectMeta().namespace("team-" + i).name("s")));
    }
    Await.get(slots.keep(List.of(1)));
    KindSource<V1Secret> source = replica.kind(V1Secret.class).toSource();
    Await.get(source.start(new RecordingSink(true)));
    Await.until("synced", () -> source.statuses().stream().allMatch(CacheStatus::synced));
    assertThat(source.owned().keys()).hasSize(2);
    assertThat(requests).contains("STREAM /api/v1/secrets");
    assertThat(requests).doesNotContain("LIST " + NAMES + "/team-1/secrets");
    Await.get(source.stop());
  }

  @Test
  void aNamespaceThatCannotBeRead_isTriedAgain_withoutTheOthers() {
    server
        .faults()
        .inject(Fault.fail(503).on(FaultFilter.path(NAMES + "/team-5/configmaps")).times(2));
    KindSource<V1ConfigMap> source = start(1);
    assertThat(source.owned().keys()).hasSize(2 * OBJECTS);
    assertThat(requests.stream().filter(("LIST " + NAMES + "/team-1/configmaps")::equals))
        .hasSize(1);
    assertThat(requests.stream().filter(("LIST " + NAMES + "/team-5/configmaps")::equals))
        .hasSize(3);
  }

  /** Lists that take longer than the server keeps its history would go on for ever. */
  @Test
  void aVersionThatHasExpiredAfterTheLists_twice_isFollowedByAListOfEverything() {
    before =
        path -> {
          if (path.equals(NAMES + "/team-5/configmaps")) {
            put("team-0", "expires", Long.toString(System.nanoTime()));
            server.faults().compactHistory();
          }
        };
    KindSource<V1ConfigMap> source = start(1);
    Await.until("a list of everything", () -> requests.contains("STREAM " + ALL));
    put("team-1", "later", "1");
    Await.until("the watch", () -> source.owned().keys().size() == 2 * OBJECTS + 1);
  }

  @Test
  void aNamespaceOfSeveralPages_isReadWhole() {
    Map<String, Integer> sizes = Map.of("team-1", OBJECTS, "team-5", OBJECTS);
    KindSource<V1ConfigMap> source = start(1);
    assertThat(
            source.owned().keys().stream()
                .collect(Collectors.groupingBy(Request::namespace, Collectors.summingInt(_ -> 1))))
        .isEqualTo(sizes);
  }
}
