// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.NetworkNamespace;
import dev.coxswain.host.e2e.process.PortForward;
import dev.coxswain.host.e2e.process.UnpackedImage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Runs pods of a Deployment from an unpacked image, with what the Deployment in the API server says
 * at that time: arguments, variables, volumes, user, service account and probes. Each has its own
 * network, mounts and processes. Limits of memory, the security context beyond user and read-only
 * file system, and NetworkPolicies are not enforced.
 *
 * <p>Thread rule: one thread.
 */
final class Kubelet implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
  private static final Duration PROBE_LIMIT = Duration.ofMinutes(2);
  private static final int API_SERVER_PORT = 443;

  private final UnpackedImage image;
  private final ApiCalls api;
  private final int serverPort;
  private final PortForward.Key key;
  private final String namespace;
  private final Path folder;
  private final Path hosts;
  private final NetworkNamespace node = NetworkNamespace.node();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<String, Pod> pods = new ConcurrentHashMap<>();
  private int number;

  /** A running pod. */
  record Pod(
      String name,
      String address,
      JsonNode spec,
      NetworkNamespace network,
      PortForward apiServer,
      Launcher run)
      implements AutoCloseable {

    /** Returns the process of the container, which is the first of its own namespace. */
    ProcessHandle container() {
      return run.handle().children().findFirst().orElseThrow();
    }

    @Override
    public void close() throws IOException {
      run.close();
      apiServer.close();
      network.close();
    }
  }

  Kubelet(
      UnpackedImage image,
      ApiCalls api,
      int serverPort,
      PortForward.Key key,
      String namespace,
      Path folder)
      throws Exception {
    this.image = image;
    this.api = api;
    this.serverPort = serverPort;
    this.key = key;
    this.namespace = namespace;
    this.folder = folder;
    this.hosts = folder.resolve("hosts");
    Files.writeString(hosts, "");
    Files.writeString(image.root().resolve("etc/hosts"), ""); // a place to mount it
  }

  /** Starts a pod of the Deployment; returns before it is ready. */
  Pod start(String deployment, String name) throws Exception {
    JsonNode template =
        api.get("/apis/apps/v1/namespaces/" + namespace + "/deployments/" + deployment)
            .at("/spec/template");
    ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
    pod.putObject("metadata").put("name", name).set("labels", template.at("/metadata/labels"));
    pod.set("spec", template.path("spec"));
    api.post("/api/v1/namespaces/" + namespace + "/pods", pod.toString());

    JsonNode spec = template.path("spec");
    JsonNode container = spec.at("/containers/0");
    int index = ++number;
    NetworkNamespace network = node.pod(index);
    PortForward server =
        PortForward.start(
            network,
            API_SERVER_PORT,
            () -> new Socket(InetAddress.getLoopbackAddress(), serverPort),
            key);
    List<String> program = new ArrayList<>(image.words("Entrypoint"));
    container.path("args").forEach(argument -> program.add(argument.asText()));
    String user =
        spec.at("/securityContext/runAsUser").asText()
            + ":"
            + spec.at("/securityContext/runAsGroup").asText();
    List<String> command = new ArrayList<>(network.enter());
    command.addAll(
        List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"));
    command.addAll(image.enter(user, volumes(spec, name), program));
    Path logs = Files.createDirectory(folder.resolve(name));
    Launcher run =
        Launcher.start(
            Path.of(command.getFirst()),
            logs,
            image.environment(environment(container, name, NetworkNamespace.address(index))),
            command.subList(1, command.size()).toArray(String[]::new));
    Pod started = new Pod(name, NetworkNamespace.address(index), spec, network, server, run);
    pods.put(name, started);
    writeHosts();
    return started;
  }

  private Map<String, String> environment(JsonNode container, String name, String address) {
    Map<String, String> environment = new HashMap<>();
    environment.put("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    environment.put("KUBERNETES_SERVICE_PORT", String.valueOf(API_SERVER_PORT));
    for (JsonNode variable : container.path("env")) {
      environment.put(
          variable.path("name").asText(),
          switch (variable.at("/valueFrom/fieldRef/fieldPath").asText()) {
            case "status.podIP" -> address;
            case "metadata.namespace" -> namespace;
            case "metadata.name" -> name;
            default -> throw new AssertionError(variable);
          });
    }
    return environment;
  }

  /** Returns the volumes of a pod, and makes their contents and the places to mount them. */
  private List<String> volumes(JsonNode spec, String pod) throws Exception {
    Map<String, JsonNode> byName = new HashMap<>();
    spec.path("volumes").forEach(volume -> byName.put(volume.path("name").asText(), volume));
    List<String> volumes = new ArrayList<>(List.of(hosts + "=/etc/hosts"));
    for (JsonNode mount : spec.at("/containers/0/volumeMounts")) {
      JsonNode volume = Objects.requireNonNull(byName.get(mount.path("name").asText()));
      String path = mount.path("mountPath").asText();
      Files.createDirectories(image.root().resolve(path.substring(1)));
      if (volume.has("emptyDir")) {
        volumes.add("tmpfs=" + path);
      } else {
        assertThat(mount.path("readOnly").asBoolean()).as("%s", mount).isTrue();
        volumes.add(contents(volume, pod) + "=" + path);
      }
    }
    Files.createDirectories(image.root().resolve(ACCOUNT.substring(1)));
    volumes.add(account(spec.path("serviceAccountName").asText(), pod) + "=" + ACCOUNT);
    return volumes;
  }

  private Path contents(JsonNode volume, String pod) throws Exception {
    boolean secret = volume.has("secret");
    String source =
        secret
            ? "/secrets/" + volume.at("/secret/secretName").asText()
            : "/configmaps/" + volume.at("/configMap/name").asText();
    JsonNode data = api.get("/api/v1/namespaces/" + namespace + source).path("data");
    Path target = Files.createDirectory(folder.resolve(pod + "-" + volume.path("name").asText()));
    for (Map.Entry<String, JsonNode> file : data.properties()) {
      String text = file.getValue().asText();
      Files.write(
          target.resolve(file.getKey()),
          secret ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8));
    }
    return target;
  }

  /** Has the API server make a token of the service account, as for a real pod. */
  private Path account(String account, String pod) throws Exception {
    JsonNode token =
        api.post(
            "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + account + "/token",
            "{\"apiVersion\": \"authentication.k8s.io/v1\", \"kind\": \"TokenRequest\","
                + " \"spec\": {\"expirationSeconds\": 3607}}");
    Path target = Files.createDirectory(folder.resolve(pod + "-account"));
    Files.writeString(target.resolve("token"), token.at("/status/token").asText());
    Files.writeString(target.resolve("ca.crt"), key.pem());
    Files.writeString(target.resolve("namespace"), namespace);
    return target;
  }

  /** Writes what the names of headless Services lead to; the pods see it at once. */
  private void writeHosts() throws IOException {
    Files.writeString(
        hosts,
        pods.values().stream()
            .map(pod -> pod.address() + " coxswain-members\n")
            .sorted()
            .collect(Collectors.joining("", "127.0.0.1 localhost\n", "")));
  }

  /** Waits until a pod passes its probes, from outside of it, and writes that down. */
  void awaitReady(Pod pod) throws Exception {
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      JsonNode get = pod.spec().at("/containers/0").path(probe).path("httpGet");
      int port = port(pod.spec(), get.path("port").asText());
      try (PortForward forward =
          PortForward.start(null, 0, () -> node.in(() -> new Socket(pod.address(), port)), null)) {
        await(pod, URI.create("http://127.0.0.1:" + forward.port() + get.path("path").asText()));
      }
    }
    api.patch(
        "/api/v1/namespaces/" + namespace + "/pods/" + pod.name() + "/status",
        "{\"status\": {\"phase\": \"Running\", \"podIP\": \"%s\",".formatted(pod.address())
            + " \"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}");
  }

  private static int port(JsonNode spec, String name) {
    for (JsonNode port : spec.at("/containers/0/ports")) {
      if (port.path("name").asText().equals(name)) {
        return port.path("containerPort").asInt();
      }
    }
    throw new AssertionError(name);
  }

  private void await(Pod pod, URI probe) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(probe).timeout(Duration.ofSeconds(5)).build();
    long end = System.nanoTime() + PROBE_LIMIT.toNanos();
    String seen = "";
    while (System.nanoTime() - end < 0) {
      assertThat(pod.run().handle().isAlive()).as(pod.run().errors() + pod.run().output()).isTrue();
      try {
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return;
        }
        seen = answer.body();
      } catch (IOException e) {
        seen = e.toString(); // it does not listen yet
      }
      LockSupport.parkNanos(20_000_000);
    }
    throw new AssertionError(probe + ": " + seen + pod.run().errors() + pod.run().output());
  }

  /** Kills the process of a pod; it is gone without having noticed. */
  void kill(Pod pod) throws Exception {
    pod.container().destroyForcibly();
    forget(pod);
  }

  /** Ends a pod as a roll-out does, and returns its exit code. */
  int terminate(Pod pod) throws Exception {
    pod.container().destroy();
    int code =
        pod.run()
            .exitCode(Duration.ofSeconds(pod.spec().path("terminationGracePeriodSeconds").asInt()));
    forget(pod);
    return code;
  }

  private void forget(Pod pod) throws Exception {
    pods.remove(pod.name());
    writeHosts();
    api.delete("/api/v1/namespaces/" + namespace + "/pods/" + pod.name() + "?gracePeriodSeconds=0");
  }

  /** Opens a connection to the loopback interface of a pod, where a port-forward ends. */
  Socket forward(String name, int port) throws IOException {
    Pod pod =
        name.isEmpty()
            ? pods.values().iterator().next()
            : Objects.requireNonNull(pods.get(name), name);
    return pod.network().in(() -> new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** Returns what the running pods have printed. */
  String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Pod pod : pods.values()) {
      all.append(pod.name()).append(":\n").append(pod.run().output()).append(pod.run().errors());
    }
    return all.toString();
  }

  @Override
  public void close() throws IOException {
    for (Pod pod : pods.values()) {
      pod.close();
    }
    node.close();
    http.close();
  }
}
