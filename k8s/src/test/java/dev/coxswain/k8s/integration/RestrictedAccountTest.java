// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.EventsV1Event;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rights in the documentation are enough, and nothing else is allowed. */
class RestrictedAccountTest {

  private static final Path DOCUMENT = Path.of("../docs/reference/access-rights.md");

  /** What is between the bars, and before the first and after the last. */
  private static final int CELLS = 6;

  private static final String ACCOUNT = "system:serviceaccount:default:shop";
  private static final ResourceType<Widget> ORDERS =
      new ResourceType<>("shop.example.com", "v1", "orders", "Order", true, Widget.class);
  private static final String HOLD = "shop.example.com/hold";

  /** One row of the table. */
  private record Right(String group, String resource, Set<String> verbs) {}

  private final List<Right> rights = documented();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(
                      new EmbeddedApiServerOptions.Token("r", "root", List.of("system:masters")),
                      new EmbeddedApiServerOptions.Token("s", ACCOUNT, List.of()))));
  private final Kubernetes root = with("r");
  private final Kubernetes shop = with("s");
  private final HttpClient http = HttpClient.newHttpClient();
  private final Request key = Request.of("default", "x");

  private Kubernetes with(String token) {
    ApiClient client = new ApiClient().setBasePath(server.url());
    client.setApiKeyPrefix("Bearer");
    client.setApiKey(token);
    return Kubernetes.of(client, KubernetesOptions.DEFAULT);
  }

  private static List<Right> documented() {
    List<Right> rights = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(DOCUMENT)) {
        String[] cells = line.replace("`", "").split("\\|", -1);
        if (cells.length == CELLS && line.contains("` |")) {
          Set<String> verbs = Set.of(cells[4].strip().split(", ", -1));
          rights.add(new Right(cells[2].strip(), cells[3].strip(), verbs));
        }
      }
    } catch (IOException e) {
      throw new AssertionError("the table cannot be read", e);
    }
    return rights;
  }

  @BeforeEach
  void bind() {
    server.apply(
        Widget.DEFINITION
            .replace("test.coxswain.dev", "shop.example.com")
            .replace("Widget", "Order")
            .replace("widget", "order"));
    String rules =
        rights.stream()
            .map(right ->
                "- {apiGroups: [%s], resources: [%s], verbs: [%s]}"
                    .formatted(right.group(), right.resource(), String.join(", ", right.verbs())))
            .collect(Collectors.joining("\n"));
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: shop, namespace: default}
        rules:
        %s
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: shop, namespace: default}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: shop}
        subjects:
        - {kind: ServiceAccount, name: shop, namespace: default}
        """
            .formatted(rules));
    Resource<Widget> orders = root.resource(ORDERS);
    Await.until("the definition to be served", () -> isServed(orders));
    orders.create(Widget.of("x", 1));
  }

  private static boolean isServed(Resource<?> resource) {
    try {
      return resource.list(ListOptions.ALL).isEmpty();
    } catch (ApiStatusException e) {
      return false;
    }
  }

  @AfterEach
  void close() {
    http.close();
    shop.close();
    root.close();
    server.close();
  }

  @Test
  void sourcesAndWrites_haveAllTheyNeed() {
    KindSource<Widget> source = shop.kind(ORDERS).inNamespace("default").toSource();
    Await.get(source.start(new RecordingSink()));
    Resource<Widget> orders = shop.resource(ORDERS);

    Finalizers.add(orders, key, HOLD);
    orders.modify(key, order -> order.spec = new Widget.Spec(2, null));
    orders.patch(key, JsonParser.parseString("{\"spec\":{\"size\":3}}").getAsJsonObject());
    orders.patchStatus(
        key, JsonParser.parseString("{\"status\":{\"phase\":\"a\"}}").getAsJsonObject());
    orders.modifyStatus(key, order -> order.status = new Widget.Status("packed"));

    // Through the watch, not through the writes.
    Await.until(
        "the watch",
        () ->
            source
                .get(key)
                .map(order -> new Widget.Status("packed").equals(order.status))
                .orElse(false));
    Widget seen = source.get(key).orElseThrow();
    assertThat(Objects.requireNonNull(seen.spec).size()).isEqualTo(3);
    assertThat(Finalizers.has(seen, HOLD)).isTrue();
    root.resource(ORDERS).delete(key);
    Finalizers.remove(orders, key, HOLD);
    Await.until("the end of the order", () -> !source.contains(key));
    Await.get(source.stop());
  }

  @Test
  void events_areWrittenAndCountedOn() {
    Widget order = shop.resource(ORDERS).get(key).orElseThrow();
    Resource<EventsV1Event> stored = root.resource(EventsV1Event.class);
    try (EventRecorder recorder =
        shop.eventRecorder("shop.example.com/test", "pod-1", Clock.system())) {
      recorder.normal(ORDERS, order, "Packed", "Pack", "it is packed");
      Await.until("the event", () -> stored.list(ListOptions.ALL).size() == 1);
      recorder.normal(ORDERS, order, "Packed", "Pack", "it is packed");
      Await.until(
          "its repetition", () -> stored.list(ListOptions.ALL).getFirst().getSeries() != null);
      assertThat(recorder.dropped()).isZero();
    }
  }

  /** Each verb on each resource, whether the table has it or not. */
  @Test
  void whatTheTableDoesNotSay_isForbidden_andWhatItSaysIsNot() throws Exception {
    assertThat(rights).hasSize(7);
    List<Right> asked = new ArrayList<>(rights);
    asked.removeIf(right -> right.resource().endsWith("/finalizers"));
    asked.add(new Right("", "configmaps", Set.of()));
    asked.add(new Right("", "secrets", Set.of()));
    asked.add(new Right("", "events", Set.of()));
    asked.add(new Right("apps", "deployments", Set.of()));
    asked.add(new Right("rbac.authorization.k8s.io", "roles", Set.of()));
    for (Right right : asked) {
      List<String> verbs =
          right.resource().endsWith("/status")
              ? List.of("get", "update", "patch")
              : List.of(
                  "get",
                  "list",
                  "watch",
                  "create",
                  "update",
                  "patch",
                  "delete",
                  "deletecollection");
      for (String verb : verbs) {
        assertThat(status("default", right, verb) == 403)
            .as("%s %s is forbidden", verb, right)
            .isNotEqualTo(isDocumented(right, verb));
        assertThat(status("kube-system", right, verb))
            .as("%s %s in another namespace", verb, right)
            .isEqualTo(403);
      }
    }
    assertThatThrownBy(() -> shop.resource(ORDERS).list(ListOptions.ALL))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(403))
        .hasMessageContaining("ClusterRole");
  }

  private boolean isDocumented(Right asked, String verb) {
    return rights.stream()
        .anyMatch(right ->
            right.group().equals(asked.group())
                && right.resource().equals(asked.resource())
                && right.verbs().contains(verb));
  }

  private int status(String namespace, Right right, String verb)
      throws IOException, InterruptedException {
    String[] resource = right.resource().split("/", -1);
    String collection =
        (right.group().isEmpty() ? "/api/v1" : "/apis/" + right.group() + "/v1")
            + "/namespaces/"
            + namespace
            + "/"
            + resource[0];
    String object = collection + "/nothing" + (resource.length > 1 ? "/" + resource[1] : "");
    HttpRequest.Builder request =
        switch (verb) {
          case "get" -> to(object);
          case "list" -> to(collection);
          case "watch" -> to(collection + "?watch=true");
          case "create" -> to(collection).POST(BodyPublishers.ofString("{}"));
          case "update" -> to(object).PUT(BodyPublishers.ofString("{}"));
          case "patch" -> to(object).method("PATCH", BodyPublishers.ofString("{}"));
          case "delete" -> to(object).DELETE();
          case "deletecollection" -> to(collection).DELETE();
          default -> throw new AssertionError(verb);
        };
    request.header("Authorization", "Bearer s");
    request.header(
        "Content-Type", verb.equals("patch") ? "application/merge-patch+json" : "application/json");
    HttpResponse<InputStream> answer = http.send(request.build(), BodyHandlers.ofInputStream());
    // A watch that is allowed does not end by itself.
    answer.body().close();
    return answer.statusCode();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofSeconds(60));
  }
}
