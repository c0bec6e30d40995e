// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.reload.ConfigurationFile;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ItemId;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import okhttp3.Request.Builder;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The person who deploys says which namespaces a host watches, at the start and later. */
class WatchNamespacesTest {

  private static final String ITEMS = "/controllers/mirror/items";
  private static final Token USER = new Token("of-user", "admin", List.of("system:masters"));

  /** For the Lease, the slot map and what moves with slots. */
  private static final String HOST_RIGHTS =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata: {name: host, namespace: default}
      rules:
      - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, create, update]}
      - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, update, patch, delete]}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata: {name: host, namespace: default}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: host}
      subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
      """;

  private static final String RIGHTS =
      """
      apiVersion: v1
      kind: Namespace
      metadata: {name: NAMESPACE}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata: {name: controllers, namespace: NAMESPACE}
      rules:
      - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, patch]}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata: {name: controllers, namespace: NAMESPACE}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controllers}
      subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
      """;

  @TempDir private Path folder;
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults().withTokens(List.of(Guide.HOST, USER)));
  private final Kubernetes user = Guide.access(server, USER.token());
  private final List<Replica> replicas = new ArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Set<String> reconciled = ConcurrentHashMap.newKeySet();
  private final CountDownLatch goOn = new CountDownLatch(1);

  @BeforeEach
  void give() {
    server.apply(HOST_RIGHTS);
    for (String namespace : List.of("a", "b", "c")) {
      server.apply(RIGHTS.replace("NAMESPACE", namespace));
      create(namespace, "one");
    }
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    replicas.forEach(Replica::stop);
    user.close();
    server.close();
  }

  @Test
  void anAccountWithRolesInTwoNamespaces_isEnough_andNothingIsForbidden() throws Exception {
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: d}}"); // without a Role
    create("d", "one");
    Replica one = new Replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    create("b", "two");
    Admin.await(() -> reconciled.contains("one b/two"));
    assertThat(reconciled).noneMatch(done -> done.contains("d/"));
    assertThat(requests).noneMatch(request -> request.startsWith("403"));
    assertThat(requests).noneMatch(request -> request.contains(" /api/v1/configmaps"));
    assertThat(one.shown().at("/sources/0/description").asText()).isEqualTo("ConfigMap in a, b");
  }

  @Test
  void aChangedFile_addsOneNamespaceAndRemovesOne_withoutAListOfTheRest() throws Exception {
    Replica one = new Replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    Admin.await(() -> one.item("a", "one").path("phase").asText().equals("delayed"));
    for (String namespace : List.of("a", "b")) { // no source lists these
      one.enqueue(namespace, "gone", "30m");
    }
    reconciled.clear();
    one.write("[b, c]");

    Admin.await(() -> reconciled.contains("one c/one"));
    Admin.await(
        () -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in b, c"));
    create("a", "two");
    create("b", "two");
    Admin.await(() -> reconciled.contains("one b/two"));
    assertThat(reconciled).noneMatch(done -> done.contains(" a/"));
    assertThat(lists("a")).isEqualTo(1);
    assertThat(lists("b")).as("it stays").isEqualTo(1);
    assertThat(lists("c")).isEqualTo(1);
    Admin.await(() -> one.cached("a").isEmpty());

    JsonNode why = one.explained("a", "one");
    assertThat(why.path("reason").asText()).isEqualTo("leftOut");
    assertThat(why.toString()).contains("does not watch namespace \\\"a\\\"");
    assertThat(one.refused("a", "one").toString()).contains("does not watch namespace");
    Admin.await(() -> one.item("b", "gone").path("phase").asText().equals("delayed"));
    assertThat(one.explained("a", "gone").path("reason").asText()).isEqualTo("leftOut");
    assertThat(one.shown().path("watchNamespaces").toString()).isEqualTo("[\"b\",\"c\"]");
  }

  @Test
  void aRunningAttempt_endsNormally_whenItsNamespaceIsRemoved() throws Exception {
    create("a", "slow");
    Replica one = new Replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.contains("one begun a/slow"));
    one.write("[b]");
    Admin.await(() -> one.shown().path("state").asText().equals("draining"));
    goOn.countDown();
    Admin.await(() -> reconciled.contains("one a/slow"));
    Admin.await(() -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in b"));
  }

  @Test
  void aNamespaceThatDoesNotExist_isNoError_andIsWatchedFromItsCreation() throws Exception {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: all}
        rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}]
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: all}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: all}
        subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
        """);
    Replica one = new Replica("one", "[a, later]");
    one.start();
    Admin.await(() -> reconciled.contains("one a/one"));
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: later}}");
    create("later", "one");
    Admin.await(() -> reconciled.contains("one later/one"));
  }

  @Test
  void whatHasFailed_keepsItsFailures_whenTheControllerIsBuiltAgain() throws Exception {
    create("b", "bad");
    Replica one = new Replica("one", "[a, b]");
    one.start();
    Admin.await(() -> one.item("b", "bad").path("failures").asInt() == 1);
    Admin.await(() -> one.item("b", "bad").path("phase").asText().equals("delayed"));
    one.write("[b]");
    Admin.await(() -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in b"));
    Admin.await(() -> one.item("b", "bad").path("failures").asInt() > 1);
    assertThat(one.item("b", "bad").path("failures").asInt())
        .as("listed again, attempted once, and not for the first time")
        .isEqualTo(2);
  }

  @Test
  void aRequestOfARunThatHasNotSynced_isKept() throws Exception {
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: d}}"); // without a Role
    Replica one = new Replica("one", "[a, d]");
    one.start();
    Admin.await(() -> one.shown().path("state").asText().equals("syncing"));
    one.enqueue("a", "gone", "30m"); // no source lists it
    one.write("[a]");
    Admin.await(() -> reconciled.contains("one a/one"));
    Admin.await(() -> one.item("a", "gone").path("phase").asText().equals("delayed"));
  }

  /** A ConfigMap reaches the pods at different times. */
  @Test
  void replicasWhoseFilesDiffer_loseNothing_onceTheyAgree() throws Exception {
    for (int i = 0; i < 20; i++) {
      create("b", "b" + i);
    }
    Replica one = new Replica("one", "[a]");
    Replica two = new Replica("two", "[a, b]");
    one.start();
    two.start();
    Admin.await(() -> one.shares() && two.shares());
    assertThat(reconciled).noneMatch(done -> done.startsWith("one b/"));
    one.write("[a, b]");
    Admin.await(() -> {
      for (int i = 0; i < 20; i++) {
        if (!reconciled.contains("one b/b" + i) && !reconciled.contains("two b/b" + i)) {
          return false;
        }
      }
      return true;
    });
    assertThat(reconciled).anyMatch(done -> done.startsWith("one b/b"));
  }

  private static final String BY_LABEL = "{watchNamespaceSelector: team=shop}";

  private void label(String namespace, String team) {
    user.resource(V1Namespace.class)
        .modify(
            dev.coxswain.reconcile.Request.of(namespace),
            one -> one.getMetadata().putLabelsItem("team", team));
  }

  private void allowNamespaces() {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: namespaces}
        rules: [{apiGroups: [""], resources: [namespaces], verbs: [list, watch]}]
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: namespaces}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: namespaces}
        subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
        """);
  }

  @Test
  void namespacesWithALabel_areWatched_alsoThoseThatGainItLater_andNotThoseThatLoseIt()
      throws Exception {
    allowNamespaces();
    label("a", "shop");
    label("b", "shop");
    Replica one = new Replica("one", BY_LABEL);
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    assertThat(reconciled).noneMatch(done -> done.contains(" c/"));
    assertThat(one.shown().path("watchNamespaces").toString()).isEqualTo("[\"a\",\"b\"]");
    one.enqueue("b", "gone", "30m"); // no source lists it

    label("a", "blog");
    label("c", "shop");
    Admin.await(() -> reconciled.contains("one c/one"));
    assertThat(one.shown().path("watchNamespaces").toString()).isEqualTo("[\"b\",\"c\"]");
    assertThat(lists("b")).as("it stays").isEqualTo(1);
    Admin.await(() -> one.item("b", "gone").path("phase").asText().equals("delayed"));
    assertThat(one.explained("a", "one").path("reason").asText()).isEqualTo("leftOut");
    assertThat(requests).noneMatch(request -> request.startsWith("403"));
    assertThat(requests).noneMatch(request -> request.contains(" /api/v1/configmaps"));
  }

  @Test
  void withoutANamespaceThatHasTheLabel_nothingIsWatched_untilOneHasIt() throws Exception {
    allowNamespaces();
    Replica one = new Replica("one", BY_LABEL);
    one.start();
    Admin.await(() -> one.shown().path("state").asText().equals("failed"));
    assertThat(one.shown().toString()).contains("watchNamespaceSelector selects no namespace");
    assertThat(requests).noneMatch(request -> request.contains("/configmaps?watch"));
    label("b", "shop");
    Admin.await(() -> reconciled.contains("one b/one"));
    assertThat(reconciled).noneMatch(done -> done.contains(" a/"));
  }

  @Test
  void aListThatBecomesASelector_isFollowedWithoutAStart() throws Exception {
    allowNamespaces();
    label("b", "shop");
    label("c", "shop");
    Replica one = new Replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    one.writeKubernetes(BY_LABEL);
    Admin.await(() -> reconciled.contains("one c/one"));
    assertThat(lists("b")).as("it stays").isEqualTo(1);
    assertThat(requests).noneMatch(request -> request.contains(" /api/v1/configmaps"));
    one.write("[a]");
    Admin.await(() -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in a"));
  }

  /** Their watches and their pauses between two changes differ. */
  @Test
  void replicasThatSeeALabelAtDifferentTimes_loseNothing() throws Exception {
    allowNamespaces();
    label("a", "shop");
    for (int i = 0; i < 20; i++) {
      create("b", "b" + i);
    }
    Replica one = new Replica("one", BY_LABEL);
    Replica two = new Replica("two", "{watchNamespaceSelector: team=shop}");
    one.start();
    two.start();
    Admin.await(() -> one.shares() && two.shares());
    label("b", "shop");
    Admin.await(() -> {
      for (int i = 0; i < 20; i++) {
        if (!reconciled.contains("one b/b" + i) && !reconciled.contains("two b/b" + i)) {
          return false;
        }
      }
      return true;
    });
    create("b", "later");
    Admin.await(() -> reconciled.contains("one b/later") || reconciled.contains("two b/later"));
  }

  private void create(String namespace, String name) {
    user.resource(V1ConfigMap.class)
        .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace(namespace).name(name)));
  }

  /** Returns how many lists were read, streamed ones as well. */
  private long lists(String namespace) {
    String path = " /api/v1/namespaces/" + namespace + "/configmaps";
    return requests.stream()
        .filter(request -> request.contains(path))
        .filter(request ->
            !request.contains("watch=true") || request.contains("sendInitialEvents=true"))
        .count();
  }

  private final class Replica {
    private final String name;
    private final Path file;
    private final Host host;
    private final Admin admin;
    private final Kubernetes access;

    Replica(String name, String namespaces) throws Exception {
      this.name = name;
      file = folder.resolve(name + ".yaml");
      if (namespaces.startsWith("{")) {
        writeKubernetes(namespaces);
      } else {
        write(namespaces);
      }
      ConfigurationFile read = ConfigurationFile.read(file, Map.of(), List.of());
      ApiClient client = new ApiClient().setBasePath(server.url());
      client.setHttpClient(
          client
              .getHttpClient()
              .newBuilder()
              .addInterceptor(chain -> {
                Builder authorized =
                    chain
                        .request()
                        .newBuilder()
                        .header("Authorization", "Bearer " + Guide.HOST.token());
                Response response = chain.proceed(authorized.build());
                requests.add(
                    response.code()
                        + " "
                        + chain.request().url().encodedPath()
                        + "?"
                        + chain.request().url().encodedQuery());
                return response;
              })
              .build());
      access = Kubernetes.of(client, KubernetesOptions.DEFAULT);
      host =
          new Host(
              read.configuration(),
              List.of(new Mirror()),
              access,
              new HostMetrics(name),
              Clock.system());
      host.reloads(read, _ -> {}, _ -> {});
      admin = new Admin(host);
      replicas.add(this);
    }

    void start() {
      host.start().await();
    }

    void write(String namespaces) throws Exception {
      writeKubernetes("{watchNamespaces: " + namespaces + "}");
    }

    void writeKubernetes(String section) throws Exception {
      Path next =
          Files.writeString(
              folder.resolve(name + ".next"),
              """
              apiVersion: config.coxswain.dev/v1alpha1
              kind: CoxswainConfiguration
              replicaName: %s
              admin: {port: 0, auth: {mode: none}}
              metrics: {port: 0}
              health: {port: 0}
              membership: {renewPeriod: 200ms, slots: 16, maxReplicas: 2}
              changes: {pauses: {enabled: false}, events: {enabled: false}}
              kubernetes: %s
              controllers: {mirror: {backoff: {base: 1h, max: 1h}}}
              """
                  .formatted(name, section));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    JsonNode shown() {
      return admin.get("/controllers/mirror?scope=local");
    }

    /** Adds a request as soon as its slot has an owner. */
    void enqueue(String namespace, String object, String delay) {
      Admin.await(() -> {
        HttpResponse<String> added = admin.change("POST", ITEMS, request(namespace, object, delay));
        assertThat(added.statusCode()).as(added.body()).isIn(201, 409, 503);
        return added.statusCode() == 201;
      });
    }

    /** Returns the problem of a request that is not accepted. */
    JsonNode refused(String namespace, String object) {
      return admin.change("POST", ITEMS, request(namespace, object, "1s"), 409);
    }

    private static String request(String namespace, String object, String delay) {
      return "{\"namespace\": \"%s\", \"name\": \"%s\", \"delay\": \"%s\", \"reason\": \"test\"}"
          .formatted(namespace, object, delay);
    }

    JsonNode item(String namespace, String object) {
      return admin.get("/controllers/mirror/items/" + new ItemId(namespace, object).encoded());
    }

    JsonNode explained(String namespace, String object) {
      return admin.get(
          "/controllers/mirror/items/" + new ItemId(namespace, object).encoded() + "/explain");
    }

    List<String> cached(String namespace) {
      return access.caches().stream()
          .map(cache -> cache.name())
          .filter(cache -> cache.endsWith(" in " + namespace))
          .toList();
    }

    boolean shares() {
      return reconciled.contains(name + " a/one")
          || shown().path("state").asText().equals("running");
    }

    void stop() {
      admin.close();
      host.stop().await();
    }

    /** Reads each object of its own cache, and looks at it again after an hour. */
    private final class Mirror implements ControllerDefinition {
      @Override
      public String name() {
        return "mirror";
      }

      @Override
      public Controller<?> create(ControllerEnvironment environment) {
        Kubernetes kubernetes = environment.get(Kubernetes.class);
        KindSource<V1ConfigMap> maps =
            kubernetes.kind(V1ConfigMap.class).readYourWrites(kubernetes.ownWrites()).toSource();
        return Controller.named("mirror")
            .watches(maps)
            .reconciles((request, context) -> {
              if (request.name().equals("slow")) {
                reconciled.add(name + " begun " + request);
                goOn.await();
              }
              if (request.name().equals("bad")) {
                throw new IllegalStateException("bad");
              }
              if (maps.get(request).isPresent()) {
                reconciled.add(name + " " + request);
              }
              return Result.requeueAfter(Duration.ofHours(1));
            });
      }
    }
  }
}
