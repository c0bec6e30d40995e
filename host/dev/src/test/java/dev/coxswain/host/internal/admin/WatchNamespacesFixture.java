// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.reload.ConfigurationFile;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Result;
import dev.coxswain.view.ItemId;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import okhttp3.Request.Builder;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Hosts that watch the namespaces of their configuration file, with a Role in each of them. */
abstract class WatchNamespacesFixture extends ReplicaFixture {

  private static final String ITEMS = "/controllers/mirror/items";

  private static final List<String> MANY =
      IntStream.range(0, 20).mapToObj(number -> "b" + number).toList();

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
  final List<String> requests = new CopyOnWriteArrayList<>();
  final Set<String> reconciled = ConcurrentHashMap.newKeySet();

  /** Ends the attempts of objects that are named "slow". */
  final CountDownLatch goOn = new CountDownLatch(1);

  WatchNamespacesFixture() {
    super(Guide.ROOT);
  }

  @BeforeEach
  void give() {
    server.apply(HOST_RIGHTS);
    for (String namespace : List.of("a", "b", "c")) {
      server.apply(RIGHTS.replace("NAMESPACE", namespace));
      create(namespace, "one");
    }
  }

  @AfterEach
  void endAttempts() {
    goOn.countDown();
  }

  /** Creates more objects in a namespace than one replica alone reconciles. */
  void createMany() {
    MANY.forEach(name -> create("b", name));
  }

  /** Waits until each of them has been reconciled, by one replica or the other. */
  void awaitMany() {
    Admin.await(() ->
        MANY.stream()
            .allMatch(name ->
                reconciled.contains("one b/" + name) || reconciled.contains("two b/" + name)));
  }

  /** Returns how many lists were read, streamed ones as well. */
  long lists(String namespace) {
    String path = " /api/v1/namespaces/" + namespace + "/configmaps";
    return requests.stream()
        .filter(request -> request.contains(path))
        .filter(request ->
            !request.contains("watch=true") || request.contains("sendInitialEvents=true"))
        .count();
  }

  /** Creates a host with a list of namespaces, or with a section of its configuration. */
  WatchingReplica replica(String name, String namespaces) throws Exception {
    write(name, namespaces);
    return new WatchingReplica(
        name, ConfigurationFile.read(file(name), Map.of(), List.of()), recording());
  }

  private Path file(String name) {
    return folder.resolve(name + ".yaml");
  }

  private void write(String name, String namespaces) throws Exception {
    String section =
        namespaces.startsWith("{") ? namespaces : "{watchNamespaces: " + namespaces + "}";
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
    Files.move(
        next, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns access as the account of the hosts, whose requests and responses are recorded. */
  private Kubernetes recording() {
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
    return Kubernetes.of(client, KubernetesOptions.DEFAULT);
  }

  /** Reads each object of its own cache, and looks at it again after an hour. */
  private Controller<?> mirror(String replica, ControllerEnvironment environment) {
    Kubernetes kubernetes = environment.get(Kubernetes.class);
    KindSource<V1ConfigMap> maps =
        kubernetes.kind(V1ConfigMap.class).readYourWrites(kubernetes.ownWrites()).toSource();
    return Controller.named("mirror")
        .watches(maps)
        .reconciles((request, context) -> {
          if (request.name().equals("slow")) {
            reconciled.add(replica + " begun " + request);
            goOn.await();
          }
          if (request.name().equals("bad")) {
            throw new IllegalStateException("bad");
          }
          if (maps.get(request).isPresent()) {
            reconciled.add(replica + " " + request);
          }
          return Result.requeueAfter(Duration.ofHours(1));
        });
  }

  /** A host whose file can be changed while it runs. */
  final class WatchingReplica extends Replica {

    private WatchingReplica(String name, ConfigurationFile read, Kubernetes access) {
      super(
          name,
          read.configuration(),
          List.of(new Definition("mirror", environment -> mirror(name, environment))),
          access);
      host.reloads(read, _ -> {}, _ -> {});
    }

    void write(String namespaces) throws Exception {
      WatchNamespacesFixture.this.write(name, namespaces);
    }

    JsonNode shown() {
      return shown("mirror");
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
      return kubernetes.caches().stream()
          .map(cache -> cache.name())
          .filter(cache -> cache.endsWith(" in " + namespace))
          .toList();
    }

    boolean shares() {
      return reconciled.contains(name + " a/one")
          || shown().path("state").asText().equals("running");
    }
  }
}
