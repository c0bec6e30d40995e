// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static dev.coxswain.host.internal.plugins.PluginHost.await;
import static dev.coxswain.testing.PluginJars.definition;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testing.KindDefinitions;
import dev.coxswain.testing.PluginJars;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks of plug-ins, which an API server calls while their jars come, change and go. */
@Order(1) // takes long
class PluginWebhooksTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String CONFIGURATION =
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard.coxswain.dev";
  private static final String BOXES = KindDefinitions.boxes("v1alpha1", "v1", "v1");

  @TempDir private Path work;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();

  @SuppressWarnings("NullAway.Init") // each test begins with start()
  private PluginHost host;

  @AfterEach
  void close() {
    if (host != null) {
      host.close();
    }
    http.close();
    server.close();
  }

  private PluginHost start(ControllerDefinition... ofClassPath) {
    host =
        new PluginHost(
            Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
            work.resolve("plugins"),
            List.of(ofClassPath),
            "drainLimit=200ms");
    return host;
  }

  private Path jar(String name) {
    return work.resolve("plugins").resolve(name + ".jar");
  }

  private void write(String name, List<String> definitions, String... sources) {
    PluginJars jars = new PluginJars(work);
    jars.write(jar(name), jars.plugin(definitions, sources));
  }

  /** A definition that denies ConfigMaps with a value. */
  private static String guard(String denied) {
    return declaring(
        definition("Guard", "guard"),
        """
        webhooks.validating(io.kubernetes.client.openapi.models.V1ConfigMap.class, request ->
            request.object().getData() != null
                    && "%s".equals(request.object().getData().get("v"))
                ? dev.coxswain.k8s.webhook.AdmissionResponse.denied("no %s")
                : dev.coxswain.k8s.webhook.AdmissionResponse.allowed());
        """
            .formatted(denied, denied));
  }

  /** A definition that converts boxes. */
  private static String boxes(String type, String controller) {
    return declaring(
            definition(type, controller),
            """
            webhooks.converting(Old.class, New.class,
                old -> { New made = new New(); made.count = old.size; return made; },
                box -> { Old made = new Old(); made.size = box.count; return made; });
            """)
        .replaceFirst(
            "\\{",
            """
            {
              @dev.coxswain.k8s.resource.KubernetesResource(
                  group = "tests.coxswain.dev", version = "v1alpha1", plural = "boxes", kind = "Box")
              public static class Old extends dev.coxswain.k8s.resource.CustomObject { int size; }
              @dev.coxswain.k8s.resource.KubernetesResource(
                  group = "tests.coxswain.dev", version = "v1", plural = "boxes", kind = "Box")
              public static class New extends dev.coxswain.k8s.resource.CustomObject { int count; }
            """);
  }

  private static String declaring(String definition, String webhooks) {
    return definition
        .replace(
            "implements dev.coxswain.controller.ControllerDefinition",
            "implements dev.coxswain.controller.ControllerDefinition,"
                + " dev.coxswain.k8s.webhook.WebhookDefinition")
        .replaceFirst(
            "public String name",
            "public void webhooks(dev.coxswain.k8s.webhook.Webhooks webhooks,"
                + " dev.coxswain.controller.ControllerEnvironment environment) { "
                + java.util.regex.Matcher.quoteReplacement(webhooks)
                + " }\n  public String name");
  }

  private HttpResponse<String> send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode get(String path) {
    try {
      return JSON.readTree(send("GET", path, "").body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the status of a write that is not stored. */
  private int write(String value) {
    return send(
            "POST",
            MAPS + "?dryRun=All",
            "{\"metadata\":{\"name\":\"a\"},\"data\":{\"v\":\"%s\"}}".formatted(value))
        .statusCode();
  }

  private void awaitRunning(String plugin, int deployments) {
    await(() ->
        host.plugin(plugin).phase() == Phase.RUNNING
            && host.plugin(plugin).error().isEmpty()
            && host.plugin(plugin).deployments() == deployments);
  }

  @Test
  void aRunningPlugin_decidesOnWrites_andAStoppedOneDoesNot_nothingIsLeft() throws Exception {
    start();
    write("one", List.of("Guard"), guard("bad"));
    awaitRunning("one", 1);
    assertThat(write("bad")).isEqualTo(403);
    assertThat(write("good")).isEqualTo(201);

    host.act("one", Action.STOP).ended().await();
    await(() -> send("GET", CONFIGURATION, "").statusCode() == 404);
    assertThat(write("bad")).isEqualTo(201);

    host.act("one", Action.DEPLOY).ended().await();
    assertThat(write("bad")).isEqualTo(403);
    Files.delete(jar("one"));
    await(() -> host.plugins().plugins().isEmpty());
    await(() -> write("bad") == 201);
    await(() ->
        host.metrics().registry().getMeters().stream()
            .noneMatch(meter -> meter.getId().toString().contains("/validate/guard")));
  }

  /** A write that is refused by a failure has another status than a denial. */
  @Test
  void aReplacedPlugin_isCalledWithoutAGap() throws Exception {
    start();
    write("one", List.of("Guard"), guard("bad"));
    awaitRunning("one", 1);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                if (write("always") != 201 || write("bad") != 403) {
                  others.incrementAndGet();
                }
                calls.incrementAndGet();
              }
            });
    for (int version = 2; version <= 4; version++) {
      int before = calls.get();
      await(() -> calls.get() > before);
      write("one", List.of("Guard"), guard("bad"), "class More%d {}".formatted(version));
      awaitRunning("one", version);
    }
    over.set(true);
    writer.join();
    assertThat(others).as("calls that failed of " + calls).hasValue(0);

    write("one", List.of("Guard"), guard("worse"));
    awaitRunning("one", 5);
    assertThat(write("bad")).isEqualTo(201);
    assertThat(write("worse")).isEqualTo(403);
  }

  @Test
  void objectsOfAnOldVersion_areConverted_beforeTheyAreStored() {
    start();
    write("boxes", List.of("Boxes"), boxes("Boxes", "boxes"));
    // As for a type that is missing, it is tried again.
    await(() -> host.plugin("boxes").error().contains("boxes.tests.coxswain.dev does not exist"));
    server.apply(BOXES);
    awaitRunning("boxes", 1);

    String all = "/apis/tests.coxswain.dev/%s/namespaces/default/boxes";
    String box =
        "{\"apiVersion\":\"tests.coxswain.dev/v1alpha1\",\"kind\":\"Box\","
            + "\"metadata\":{\"name\":\"a\"},\"size\":4}";
    assertThat(send("POST", all.formatted("v1alpha1"), box).statusCode()).isEqualTo(201);
    assertThat(get(all.formatted("v1") + "/a").path("count").asInt()).isEqualTo(4);
  }

  @Test
  void aKindThatIsConvertedTwice_failsItsPlugin_untilTheOtherHasGone() throws Exception {
    start();
    server.apply(BOXES);
    write("boxes", List.of("Boxes"), boxes("Boxes", "boxes"));
    awaitRunning("boxes", 1);
    write("crates", List.of("Crates"), boxes("Crates", "crates"));
    await(() -> host.plugin("crates").phase() == Phase.FAILED);
    assertThat(host.plugin("crates").error())
        .contains("\"boxes\"", "\"crates\"", "boxes.tests.coxswain.dev", "remove one");
    Files.delete(jar("boxes"));
    awaitRunning("crates", 1);

    Files.delete(jar("crates"));
    await(() -> host.plugins().find("crates").isEmpty());
    write("both", List.of("One", "Two"), boxes("One", "one"), boxes("Two", "two"));
    await(() -> host.plugin("both").phase() == Phase.FAILED);
    assertThat(host.plugin("both").error()).contains("\"one\"", "\"two\"", "both convert");
  }

  @Test
  void webhooksThatCannotBeBuilt_failTheirPlugin_andTheFormerOnesGoOn() {
    start();
    write("one", List.of("Guard"), guard("bad"));
    awaitRunning("one", 1);
    write(
        "one",
        List.of("Guard"),
        declaring(
            definition("Guard", "guard"),
            "if (true) throw new IllegalStateException(\"on purpose\");"));
    await(() -> host.plugin("one").error().contains("on purpose"));
    assertThat(host.plugin("one").error()).contains("the changed files are not in use");
    assertThat(write("bad")).isEqualTo(403);
  }

  @Test
  void webhooksOfTheClassPath_areNotDisturbed() throws Exception {
    start(new Keeper());
    await(() -> secret("bad") == 403);
    write("one", List.of("Guard"), guard("bad"));
    awaitRunning("one", 1);
    assertThat(secret("bad")).isEqualTo(403);
    Files.delete(jar("one"));
    await(() -> write("bad") == 201);
    assertThat(secret("bad")).isEqualTo(403);
  }

  private int secret(String name) {
    return send(
            "POST",
            "/api/v1/namespaces/default/secrets?dryRun=All",
            "{\"metadata\":{\"name\":\"%s\"}}".formatted(name))
        .statusCode();
  }

  /** A host that has just started does not have the webhooks of a plug-in before it is loaded. */
  @Test
  void configurationsOfAnEarlierProcess_stayWhileAPluginIsNotKnown() throws Exception {
    start();
    write("one", List.of("Guard"), guard("bad"));
    awaitRunning("one", 1);
    host.close();
    assertThat(send("GET", CONFIGURATION, "").statusCode()).isEqualTo(200);
    byte[] whole = Files.readAllBytes(jar("one"));
    Files.writeString(jar("one"), "this is no jar");
    start(new Keeper());
    await(() -> host.plugin("one").phase() == Phase.FAILED);
    await(() -> secret("bad") == 403);
    // No replica answers, so the write is refused rather than stored unseen.
    assertThat(write("bad")).isEqualTo(500);
    Files.write(jar("one"), whole);
    awaitRunning("one", 1);
    assertThat(write("bad")).isEqualTo(403);
    assertThat(write("good")).isEqualTo(201);
  }

  /** Denies Secrets that are named so. */
  private static final class Keeper implements ControllerDefinition, WebhookDefinition {
    @Override
    public String name() {
      return "keeper";
    }

    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      webhooks.validating(
          V1Secret.class,
          request ->
              request.key().name().equals("bad")
                  ? AdmissionResponse.denied("no")
                  : AdmissionResponse.allowed());
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name()).reconciles((request, context) -> Result.done());
    }
  }
}
