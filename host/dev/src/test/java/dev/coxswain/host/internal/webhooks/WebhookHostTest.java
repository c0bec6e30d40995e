// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.KindDefinitions;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The webhooks of a definition, called by a real (embedded) API server over TLS. */
class WebhookHostTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String CONFIGURATION =
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard.coxswain.dev";
  private static final String SECRET = "/api/v1/namespaces/default/secrets/coxswain-webhooks";

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Host> hosts = new ArrayList<>();
  private EmbeddedApiServer server;

  @BeforeEach
  void start() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  }

  @AfterEach
  void stop() {
    hosts.forEach(host -> host.stop().await());
    server.close();
    http.close();
  }

  private Host host(String name, ControllerDefinition definition, String... settings)
      throws Exception {
    return host(name, List.of(definition), settings);
  }

  private Host host(String name, List<ControllerDefinition> definitions, String... settings)
      throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "replicaName=" + name,
                "drainLimit=100ms",
                "admin.port=0",
                "admin.auth.mode=none",
                "metrics.port=0",
                "health.port=0",
                "webhooks.port=0"));
    all.addAll(List.of(settings));
    Host host =
        new Host(
            ConfigurationLoader.load(null, Map.of(), all),
            definitions,
            Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
            new HostMetrics("test"),
            Clock.system());
    hosts.add(host);
    host.start().await(60, TimeUnit.SECONDS);
    return host;
  }

  private JsonNode call(String method, String path, @Nullable String body, int status)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header(
                "Content-Type",
                method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return JSON.readTree(response.body());
  }

  static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20); // between looks at another process's state
    }
  }

  private static String map(String name, String value) {
    return "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"v\":\"%s\"}}".formatted(name, value);
  }

  @Test
  void aReadyHost_decidesOnWrites() throws Exception {
    Host host = host("one", new Guard());
    host.ready().await(60, TimeUnit.SECONDS);

    assertThat(call("POST", MAPS, map("a", "good"), 201).at("/data/seen").asText())
        .isEqualTo("coxswain-admin");
    assertThat(call("POST", MAPS, map("b", "bad"), 403).path("message").asText())
        .isEqualTo(
            "admission webhook \"validate.configmaps.guard.coxswain.dev\" denied the request: bad is bad");
    assertThat(call("POST", MAPS, map("c", "broken"), 500).path("message").asText())
        .contains("denied the request: it broke");
    HttpResponse<String> metrics =
        http.send(
            HttpRequest.newBuilder(URI.create(host.report().metrics() + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(metrics.body())
        .containsPattern( // the host writes ConfigMaps, too
            "webhook_requests_total\\{code=\"200\",webhook=\"/validate/guard/core/v1/configmaps\"} [3-9]")
        .contains(
            "controller_runtime_webhook_requests_in_flight{webhook=\"/mutate/guard/core/v1/configmaps\"} 0.0");
  }

  @Test
  void replicas_shareOneCertificate() throws Exception {
    host("one", new Guard()).ready().await(60, TimeUnit.SECONDS);
    String authority = call("GET", SECRET, null, 200).at("/data/ca.crt").asText();
    String version = call("GET", SECRET, null, 200).at("/metadata/resourceVersion").asText();

    host("two", new Guard()).ready().await(60, TimeUnit.SECONDS);

    JsonNode secret = call("GET", SECRET, null, 200);
    assertThat(secret.at("/metadata/resourceVersion").asText()).isEqualTo(version);
    assertThat(secret.path("type").asText()).isEqualTo("kubernetes.io/tls");
    assertThat(call("GET", CONFIGURATION, null, 200).at("/webhooks/0/clientConfig/caBundle"))
        .hasToString("\"" + authority + "\"");
    call("POST", MAPS, map("b", "bad"), 403);
  }

  @Test
  void certificateFiles_areReloadedWithoutARestart() throws Exception {
    CertificateFactory factory = new CertificateFactory();
    Path certificate = folder.resolve("tls.crt");
    Path key = folder.resolve("tls.key");
    Path authority = folder.resolve("ca.crt");
    write(factory, certificate, key, authority);
    host(
            "one",
            new Guard(),
            "webhooks.tls.certificate=" + certificate,
            "webhooks.tls.key=" + key,
            "webhooks.tls.authority=" + authority)
        .ready()
        .await(60, TimeUnit.SECONDS);
    call("POST", MAPS, map("b", "bad"), 403);
    String before = bundle();

    write(factory, certificate, key, authority);

    // The server has the new one within 5 s, the API server its authority within 30 s more.
    await(() -> !bundle().equals(before));
    assertThat(Base64.getDecoder().decode(bundle())).isEqualTo(Files.readAllBytes(authority));
    call("POST", MAPS, map("b", "bad"), 403);
  }

  private String bundle() throws Exception {
    return call("GET", CONFIGURATION, null, 200).at("/webhooks/0/clientConfig/caBundle").asText();
  }

  private static void write(CertificateFactory factory, Path certificate, Path key, Path authority)
      throws Exception {
    CertificateFactory.Pair ca = factory.authority(Instant.now());
    CertificateFactory.Pair made = factory.server(ca, List.of("127.0.0.1"), Instant.now());
    Files.writeString(authority, ca.certificate());
    Files.writeString(key, made.key());
    Files.writeString(certificate, made.certificate());
  }

  @Test
  void configurationsThatAreNoLongerDeclared_areDeleted_andThoseOfOtherHostsAreNot()
      throws Exception {
    host("one", new Guard()).ready().await(60, TimeUnit.SECONDS);
    String mutating = CONFIGURATION.replace("validating", "mutating");
    String foreign = CONFIGURATION.replace("guard.", "foreign.");
    call(
        "POST",
        CONFIGURATION.substring(0, CONFIGURATION.lastIndexOf('/')),
        """
        {"metadata": {"name": "foreign.coxswain.dev", "labels": {"coxswain.dev/host": "foreign",
         "app.kubernetes.io/managed-by": "coxswain", "coxswain.dev/host-namespace": "default"}}}
        """,
        201);
    hosts.removeLast().stop().await(60, TimeUnit.SECONDS);

    host("two", new Guard(false)).ready().await(60, TimeUnit.SECONDS);
    await(() -> !exists(mutating));
    call("GET", CONFIGURATION, null, 200);
    hosts.removeLast().stop().await(60, TimeUnit.SECONDS);

    host("three", new Silent(), "webhooks.url=https://127.0.0.1:9443");
    await(() -> !exists(CONFIGURATION));
    call("GET", foreign, null, 200);
  }

  private boolean exists(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path)).build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
  }

  @Test
  void aConversion_isWrittenIntoItsDefinition_andTheHostIsReadyThen() throws Exception {
    Host host = host("one", List.of(new Boxes(), new Guard()));
    assertThat(host.ready().isComplete()).isFalse(); // the definition does not exist yet
    String all = CONFIGURATION.substring(0, CONFIGURATION.lastIndexOf('/'));
    await(() -> call("GET", all, null, 200).path("items").size() == 1); // of the other controller

    server.apply(KindDefinitions.boxes("v1", "v2", "v1"));
    host.ready().await(60, TimeUnit.SECONDS);

    call(
        "POST",
        "/apis/tests.coxswain.dev/v1/namespaces/default/boxes",
        """
        {"apiVersion":"tests.coxswain.dev/v1","kind":"Box","metadata":{"name":"a"},"size":4}
        """,
        201);
    String path = "/apis/tests.coxswain.dev/v2/namespaces/default/boxes/a";
    await(() -> call("GET", path, null, 200).path("count").asInt() == 4);
    assertThat(call("PATCH", path, "{\"count\":5}", 200).path("count").asInt()).isEqualTo(5);
  }

  /** Marks and guards ConfigMaps. */
  private static final class Guard implements ControllerDefinition, WebhookDefinition {
    private final boolean marks;

    Guard() {
      this(true);
    }

    Guard(boolean marks) {
      this.marks = marks;
    }

    @Override
    public String name() {
      return "guard";
    }

    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      if (marks) {
        webhooks.mutating(
            V1ConfigMap.class,
            request -> {
              V1ConfigMap map = request.object();
              map.putDataItem("seen", request.user().name());
              return AdmissionResponse.patched(map);
            });
      }
      webhooks.validating(
          V1ConfigMap.class,
          request -> {
            Map<String, String> data = request.object().getData();
            String value = data == null ? "" : data.getOrDefault("v", "");
            if (value.equals("broken")) {
              throw new IllegalStateException("it broke");
            }
            return value.equals("bad")
                ? AdmissionResponse.denied("bad is bad")
                : AdmissionResponse.allowed();
          });
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name()).reconciles((request, context) -> Result.done());
    }
  }

  /** Declares nothing. */
  private static final class Silent implements ControllerDefinition {
    @Override
    public String name() {
      return "guard";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name()).reconciles((request, context) -> Result.done());
    }
  }

  /** Converts boxes. */
  private static final class Boxes implements ControllerDefinition, WebhookDefinition {
    @Override
    public String name() {
      return "boxes";
    }

    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      webhooks.converting(
          OldBox.class,
          NewBox.class,
          box -> {
            NewBox made = new NewBox();
            made.count = box.size;
            return made;
          },
          box -> {
            OldBox made = new OldBox();
            made.size = box.count;
            return made;
          });
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name()).reconciles((request, context) -> Result.done());
    }
  }

  @KubernetesResource(group = "tests.coxswain.dev", version = "v1", plural = "boxes", kind = "Box")
  private static final class OldBox extends CustomObject {
    private int size;
  }

  @KubernetesResource(group = "tests.coxswain.dev", version = "v2", plural = "boxes", kind = "Box")
  private static final class NewBox extends CustomObject {
    private int count;
  }
}
