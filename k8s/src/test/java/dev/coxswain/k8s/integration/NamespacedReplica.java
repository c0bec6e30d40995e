// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.client.KubernetesOptions;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * A replica with slots by namespace and its API server, which has the namespaces {@code team-0} to {@code team-7} in four slots
 * by their number, each with {@value #OBJECTS} ConfigMaps.
 */
final class NamespacedReplica implements AutoCloseable {

  static final int NAMESPACES = 8;
  static final int OBJECTS = 20;
  static final int SLOTS = 4;
  static final String ALL = "/api/v1/configmaps";
  static final String NAMES = "/api/v1/namespaces";

  /** The parameter by which a server selects. */
  static final String SELECTOR = "shardSelector";

  final EmbeddedApiServer server;
  final Kubernetes user;

  /** The targets of the requests of the replica, before they are sent. */
  final Queue<String> requests = new ConcurrentLinkedQueue<>();

  /** The selectors of the watches of ConfigMaps, empty for none. */
  final Queue<String> selectors = new ConcurrentLinkedQueue<>();

  /** Called with the path of each request, before it is sent. */
  volatile Consumer<String> before = _ -> {};

  /** What the server receives of each selector; empty for none. */
  volatile UnaryOperator<String> selector = UnaryOperator.identity();

  /** What the server, or a proxy, answers to a selector instead; null for its own answer. */
  volatile @org.jspecify.annotations.Nullable String refusal;

  volatile int refusalStatus = 500;

  /** The paths of the collections that the replica may list, but not watch. */
  volatile Predicate<String> forbidden = _ -> false;

  final Kubernetes replica;
  final KeptSlots slots = new KeptSlots(new NumberedSlots(SLOTS, true));
  final List<KindSource<V1ConfigMap>> started = new ArrayList<>();

  NamespacedReplica(boolean selecting) {
    server =
        EmbeddedApiServer.startBlocking(
            selecting
                ? EmbeddedApiServerOptions.defaults().withShardedListAndWatch(true)
                : EmbeddedApiServerOptions.defaults());
    user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
    replica = Kubernetes.of(client(), KubernetesOptions.DEFAULT.withPageSize(2));
    for (int i = 0; i < NAMESPACES; i++) {
      namespace("team-" + i);
      for (int j = 0; j < OBJECTS; j++) {
        put("team-" + i, "x" + j, "1");
      }
    }
    KubernetesRuntime.of(replica).keepOnly(slots);
  }

  private ApiClient client() {
    ApiClient client = new ApiClient().setBasePath(server.url());
    client.setHttpClient(client.getHttpClient().newBuilder().addInterceptor(this::record).build());
    return client;
  }

  private Response record(Interceptor.Chain chain) throws IOException {
    okhttp3.HttpUrl url = chain.request().url();
    String path = url.encodedPath();
    before.accept(path);
    boolean watch = "true".equals(url.queryParameter("watch"));
    boolean one = "1".equals(url.queryParameter("limit"));
    boolean next = url.queryParameter("continue") != null;
    boolean streamed = url.queryParameter("sendInitialEvents") != null;
    requests.add(
        (one ? "VERSION " : next ? "PAGE " : streamed ? "STREAM " : watch ? "WATCH " : "LIST ")
            + path);
    if (watch && forbidden.test(path)) {
      return answer(chain, 403, "may not watch");
    }
    String asked = url.queryParameter(SELECTOR);
    if (watch && path.equals(ALL)) {
      selectors.add(Optional.ofNullable(asked).orElse(""));
    }
    if (asked == null) {
      return chain.proceed(chain.request());
    }
    String refused = refusal;
    if (refused != null) {
      return answer(chain, refusalStatus, refused);
    }
    String received = selector.apply(asked);
    okhttp3.HttpUrl.Builder sent = url.newBuilder().removeAllQueryParameters(SELECTOR);
    if (!received.isEmpty()) {
      sent.addQueryParameter(SELECTOR, received);
    }
    return chain.proceed(chain.request().newBuilder().url(sent.build()).build());
  }

  private static Response answer(Interceptor.Chain chain, int status, String message) {
    return new Response.Builder()
        .request(chain.request())
        .protocol(okhttp3.Protocol.HTTP_1_1)
        .code(status)
        .message("refused")
        .body(
            okhttp3.ResponseBody.create(
                """
                {"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":"%s"}
                """
                    .formatted(status, message),
                okhttp3.MediaType.get("application/json")))
        .build();
  }

  void namespace(String name) {
    user.resource(V1Namespace.class)
        .create(new V1Namespace().metadata(new V1ObjectMeta().name(name)));
  }

  void put(String namespace, String name, String value) {
    user.resource(V1ConfigMap.class)
        .createOrPatch(
            Request.of(namespace, name), V1ConfigMap::new, map -> map.putDataItem("v", value));
  }

  void delete(String namespace, String name) {
    user.resource(V1ConfigMap.class).delete(Request.of(namespace, name));
  }

  KindSource<V1ConfigMap> start(Integer... kept) {
    return start(Handlers.object(), kept);
  }

  KindSource<V1ConfigMap> start(EventHandler<V1ConfigMap> handler, Integer... kept) {
    Await.get(slots.keep(List.of(kept)));
    KindSource<V1ConfigMap> source = replica.kind(V1ConfigMap.class).handledBy(handler).toSource();
    started.add(source);
    Await.get(source.start(new RecordingSink(true)));
    Await.until("the watch", () -> requests.stream().anyMatch(one -> one.endsWith(ALL)));
    Await.until("synced", () -> isSynced(source));
    return source;
  }

  static boolean isSynced(KindSource<V1ConfigMap> source) {
    return source.statuses().stream().allMatch(CacheStatus::synced);
  }

  /** Returns the namespaces whose ConfigMaps were listed. */
  Set<String> listed() {
    return requests.stream()
        .filter(one -> one.startsWith("LIST " + NAMES + "/"))
        .map(one -> one.split("/", -1)[4])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  static Set<String> namespaces(KindSource<V1ConfigMap> source) {
    return source.owned().keys().stream()
        .map(Request::namespace)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the value of a ConfigMap in the cache; empty when it is not there. */
  static String value(KindSource<V1ConfigMap> source, String namespace, String name) {
    return source
        .owned()
        .get(Request.of(namespace, name))
        .map(dev.coxswain.k8s.fixture.ConfigMaps::value)
        .orElse("");
  }

  static CacheStatus.Watched watched(KindSource<V1ConfigMap> source) {
    List<CacheStatus> all = source.statuses();
    assertThat(all).hasSize(1);
    return all.getFirst().watched();
  }

  @Override
  public void close() {
    started.forEach(source -> Await.get(source.stop()));
    replica.close();
    user.close();
    server.close();
  }
}
