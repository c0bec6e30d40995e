// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RetryAfter;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The messages of requests that the API server refuses. */
@Isolated
class RefusalsTest {

  private static final String STRICT =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: gadgets.test.coxswain.dev}
      spec:
        group: test.coxswain.dev
        names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
        scope: Namespaced
        versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties: {size: {type: integer, maximum: 5}}
      """;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(
                      new EmbeddedApiServerOptions.Token("r", "root", List.of("system:masters")),
                      new EmbeddedApiServerOptions.Token("n", "nobody", List.of()))));
  private final Kubernetes root = with("r", KubernetesOptions.DEFAULT);
  private final Kubernetes nobody = with("n", KubernetesOptions.DEFAULT);

  private Kubernetes with(String token, KubernetesOptions options) {
    ApiClient client = new ApiClient().setBasePath(server.url());
    client.setApiKeyPrefix("Bearer");
    client.setApiKey(token);
    return Kubernetes.of(client, options);
  }

  @AfterEach
  void close() {
    root.close();
    nobody.close();
    server.close();
  }

  private static V1ConfigMap map(String name) {
    return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name));
  }

  private Resource<Unstructured> gadgets() {
    return root.resource(
        ResourceType.unstructured("test.coxswain.dev", "v1", "gadgets", "Gadget", true));
  }

  private static Unstructured gadget(String spec) {
    return Unstructured.of(
        JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"default\",\"name\":\"g\"},\"spec\":%s}"
                    .formatted(spec))
            .getAsJsonObject());
  }

  @Test
  void forbidden_namesTheVerbTheResourceAndTheNamespace_andTheCure() {
    Resource<V1ConfigMap> maps = nobody.resource(V1ConfigMap.class);

    assertThatThrownBy(() -> maps.create(map("x")))
        .isInstanceOf(ApiStatusException.class)
        .hasMessageContaining("nobody")
        .hasMessageContaining(
            "allow the verb \"create\" on \"configmaps\" of API group \"\" with a Role in namespace"
                + " \"default\"");
    assertThatThrownBy(() -> maps.list(ListOptions.ALL))
        .hasMessageContaining("the verb \"list\"")
        .hasMessageContaining("with a ClusterRole");
  }

  @Test
  void aRefusalThatIsNotOfAnAuthorizer_hasNoHintAtRoles() {
    assertThatThrownBy(() -> root.resource(V1Namespace.class).delete(Request.of("kube-system")))
        .hasMessageContaining("403")
        .hasMessageContaining("may not be deleted")
        .hasMessageNotContaining("Role");
  }

  @Test
  void aStatusOfAResourceWithoutThatSubresource_isNamed() {
    server.apply(STRICT);
    Await.until(
        "the definition to be served", () -> gadgets().get(Request.of("default", "g")).isEmpty());
    gadgets().create(gadget("{}"));
    assertThatThrownBy(() -> gadgets().patchStatus(Request.of("default", "g"), new JsonObject()))
        .hasMessageContaining("404")
        .hasMessageContaining("no sub-resource \"status\"");
  }

  @Test
  void unknownCredentials_areSaidToBeThat() {
    try (Kubernetes stranger = with("wrong", KubernetesOptions.DEFAULT)) {
      assertThatThrownBy(() -> stranger.resource(V1ConfigMap.class).list(ListOptions.ALL))
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(401))
          .hasMessageContaining("credentials")
          .hasMessageNotContaining("wrong");
    }
  }

  /** An object that is not there is nothing unusual; a whole API that is not there is. */
  @Test
  void apiThatIsNotInstalled_isNotTakenForAMissingObject() {
    Resource<Unstructured> gadgets = gadgets();

    assertThatThrownBy(() -> gadgets.get(Request.of("default", "g")))
        .isInstanceOfSatisfying(
            ApiStatusException.class, e -> assertThat(e.isApiMissing()).isTrue())
        .hasMessageContaining("\"gadgets.test.coxswain.dev\"")
        .hasMessageContaining("CustomResourceDefinition");
    assertThatThrownBy(() -> gadgets.delete(Request.of("default", "g")))
        .isInstanceOf(ApiStatusException.class);

    server.apply(STRICT);
    Await.until(
        "the definition to be served", () -> gadgets.get(Request.of("default", "g")).isEmpty());
    assertThat(gadgets.delete(Request.of("default", "g"))).isFalse();
  }

  @Test
  void namespaceThatIsMissing_isNamed() {
    V1ConfigMap map = map("x");
    ConfigMaps.meta(map).setNamespace("nowhere");

    assertThatThrownBy(() -> root.resource(V1ConfigMap.class).create(map))
        .isInstanceOfSatisfying(
            ApiStatusException.class, e -> assertThat(e.isApiMissing()).isFalse())
        .hasMessageContaining("namespaces \"nowhere\" not found");
  }

  @Test
  void patchThatIsInvalid_isToldWithItsField() {
    server.apply(STRICT);
    gadgets().create(gadget("{\"size\":1}"));

    assertThatThrownBy(() ->
            gadgets()
                .patch(
                    Request.of("default", "g"),
                    JsonParser.parseString("{\"spec\":{\"size\":9}}").getAsJsonObject()))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(422))
        .hasMessageContaining("spec.size");
  }

  @Test
  void fieldThatTheServerDoesNotKnow_isLoggedOnce() {
    server.apply(STRICT);
    Logger logger = (Logger) LoggerFactory.getLogger("dev.coxswain.k8s.client.ServerWarnings");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      gadgets().create(gadget("{\"size\":1,\"colour\":\"red\"}"));
      gadgets()
          .patch(
              Request.of("default", "g"),
              JsonParser.parseString("{\"spec\":{\"colour\":\"blue\"}}").getAsJsonObject());
    } finally {
      logger.detachAppender(lines);
    }

    assertThat(lines.list).hasSize(1);
    assertThat(lines.list.getFirst().getKeyValuePairs().toString())
        .contains("unknown field \"spec.colour\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void retryAfter_ofARefusedWrite_reachesTheEngine(int code) {
    server.faults().failNext(1, code, Duration.ofSeconds(7), uri -> uri.contains("configmaps"));

    assertThatThrownBy(() -> root.resource(V1ConfigMap.class).create(map("x")))
        .isInstanceOfSatisfying(
            RetryAfter.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofSeconds(7)));
  }

  @Test
  void interrupt_endsACall() throws InterruptedException {
    try (Kubernetes patient =
        with("r", KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofHours(1)))) {
      server.faults().addLatency(Duration.ofHours(1));
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      AtomicBoolean asking = new AtomicBoolean();
      Thread caller =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  asking.set(true);
                  patient.resource(V1ConfigMap.class).create(map("x"));
                } catch (ApiStatusException e) {
                  thrown.set(e);
                }
              });
      Await.until("the call", asking::get);

      caller.interrupt();

      assertThat(caller.join(Duration.ofSeconds(60))).isTrue();
      assertThat(thrown.get())
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue());
    }
  }
}
