// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.UpgradeCommand;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.host.e2e.controller.OrderController;
import dev.coxswain.host.e2e.deployment.Kubelet.Pod;
import dev.coxswain.host.e2e.deployment.Workstation.Printed;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.DebianPackages;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.GuidePage;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.NetworkNamespace;
import dev.coxswain.host.e2e.process.PortForward;
import dev.coxswain.host.e2e.process.RenderedChart;
import dev.coxswain.host.e2e.process.SlotShares;
import dev.coxswain.host.e2e.process.UnpackedImage;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows docs/guides/deploying.md from a build to a roll-out: the image is unpacked and runs as
 * three pods with what Helm has installed, and with its rights alone.
 *
 * <p>{@link #ELSEWHERE} has the commands of the page that are not run here. Nothing here enforces a
 * NetworkPolicy, limits of memory or a seccomp profile, and no scheduler spreads pods.
 */
@Timeout(2400)
@Order(1) // takes long
class DeploymentIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAMESPACE = "shop";
  private static final String RELEASE = "coxswain";
  private static final int ORDERS = 60;
  private static final Duration LIMIT = Duration.ofSeconds(100);

  /** The promise after a kill with the default Lease; the failure suite measures it. */
  private static final Duration TAKEOVER = Duration.ofMillis(16_500);

  /** How much longer it may take here, where the machine may be busy with other things. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Beginnings of commands, and why they are not run as they are written. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "docker load ",
          "needs a container engine; the layers are unpacked instead",
          "helm upgrade ",
          "its flags are given to Helm's own library; no helm is needed",
          "kubectl create serviceaccount oncall\n" + "kubectl create clusterrolebinding coxswain",
          "has the names of the manifests of the page, which DeployingPageIT creates; those of"
              + " the chart are run");

  private static final Token ROOT = new Token("of-root", "root", List.of("system:masters"));

  @TempDir private Path folder;

  private GuidePage page;
  private EmbeddedApiServer server;
  private PortForward.Key key;
  private PortForward secured;
  private ApiCalls api;
  private UnpackedImage image;
  private Kubelet kubelet;
  private int started;

  @BeforeAll
  static void skipWithoutNamespaces() throws Exception {
    String refusal = NetworkNamespace.refusal();
    if (!refusal.isEmpty()) {
      System.out.println("DeploymentIT is skipped: " + refusal);
    }
    assumeTrue(refusal.isEmpty(), refusal);
  }

  @BeforeEach
  @Timeout(1200)
  void build() throws Exception {
    page = GuidePage.read("deploying.md");
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(ROOT)));
    key = PortForward.Key.create(folder);
    int port = port();
    secured =
        PortForward.start(null, 0, () -> new Socket(InetAddress.getLoopbackAddress(), port), key);
    api = new ApiCalls(server, ROOT.token());
    image = built();
    kubelet = new Kubelet(image, api, port, key, NAMESPACE, folder);
  }

  @AfterEach
  void close() throws Exception {
    kubelet.close();
    api.close();
    secured.close();
    server.close();
  }

  private int port() {
    return URI.create(server.url()).getPort();
  }

  @Test
  void theGuide_leadsToThreePods_thatSurviveAKillAndARollOut_andObeyTheRoles() throws Exception {
    server.apply(RenderedChart.CLUSTER + "---\n" + OrderController.DEFINITION);
    Path kubeconfig =
        Workstation.kubeconfig(folder.resolve("helm"), secured.port(), key, ROOT.token());
    Path values =
        Files.writeString(folder.resolve("values.yaml"), page.block("text", "controllerRules:"));
    helm(kubeconfig, values).call();
    for (int i = 0; i < ORDERS; i++) {
      api.post(orders(), order(i));
    }
    Optional<Path> kubectl = DebianPackages.onPath("kubectl");
    List<Pod> pods = new ArrayList<>();
    int replicas =
        api.get("/apis/apps/v1/namespaces/" + NAMESPACE + "/deployments/" + RELEASE)
            .at("/spec/replicas")
            .asInt();
    for (int i = 0; i < replicas; i++) {
      pods.add(pod());
    }
    for (Pod pod : pods) {
      kubelet.awaitReady(pod);
    }
    Set<String> names = new TreeSet<>();
    pods.forEach(pod -> names.add(pod.name()));
    await(
        "each replica has orders of its own",
        () -> {
          for (int i = 0; i < ORDERS; i++) {
            change("order-" + i);
          }
          await("everything is reconciled", this::everythingIsReconciled);
          return owners().keySet().equals(names);
        });

    takeOver(pods);
    try (Workstation person =
        kubectl.isEmpty()
            ? null
            : new Workstation(
                folder,
                kubectl.get(),
                image.variable("PATH"),
                port(),
                key,
                ROOT.token(),
                kubelet)) {
      if (person == null) {
        System.out.println("the commands of a person are skipped: kubectl is missing");
      } else {
        roles(person, pods);
      }
      helm(kubeconfig, values).set("admin.certificate.from", "helm").call();
      rollOut(pods);
      if (person != null) {
        overTls(person, pods.size());
      }
    }
    for (Pod pod : pods) {
      pod.container().destroy();
    }
    for (Pod pod : pods) {
      assertThat(pod.run().exitCode()).as(pod.run().output()).isZero();
      assertThatNothingFailed(pod);
    }
  }

  /** Refusals of the host by the API server, and of its start cache; callers may be refused. */
  private static void assertThatNothingFailed(Pod pod) throws Exception {
    List<String> failures =
        pod.run()
            .output()
            .lines()
            .filter(line -> !line.contains("\"logger\":\"audit\""))
            // Of a machine that stands still: what follows from it is what counts.
            .filter(line -> !line.contains("\"msg\":\"event loop blocked\""))
            .filter(line ->
                line.contains("orbidden")
                    || line.contains("\"level\":\"error\"")
                    || line.contains("start cache"))
            .toList();
    assertThat(failures).as(pod.name()).isEmpty();
  }

  /** Does what the page has for the image, with controllers in it, and unpacks what comes out. */
  private UnpackedImage built() throws Exception {
    Path root = Path.of("..", "..").toAbsolutePath().normalize();
    for (String line : page.block("sh", "host/bin/coxswain dist").lines().toList()) {
      if (elsewhere(line).isEmpty()) {
        String[] words = line.replaceFirst(" +#.*", "").split(" ", -1);
        assertThat(root.resolve(words[0])).isEqualTo(Launcher.SCRIPT);
        assertThat(words).containsExactly(words[0], "dist");
      }
    }
    UnpackedImage image = Distribution.image(folder);
    Matcher copy =
        Pattern.compile("COPY controllers/\\*\\.jar (/\\S+)/\n")
            .matcher(page.block("dockerfile", "COPY controllers/"));
    assertThat(copy.find()).isTrue();
    Path target = Files.createDirectories(image.root().resolve(copy.group(1).substring(1)));
    Distribution.controllers(folder, target.resolve("orders.jar"), OrderController.class);
    for (String block : page.blocks("sh")) {
      assertThat(known(block)).as("run it, or have a reason why not: %s", block).isTrue();
    }
    return image;
  }

  private static Optional<String> elsewhere(String command) {
    return ELSEWHERE.entrySet().stream()
        .filter(one -> command.startsWith(one.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static boolean known(String block) {
    return elsewhere(block).isPresent()
        || block.contains("coxswain dist")
        || block.contains("shop-coxswain-operator")
        || block.contains("get secret coxswain-admin-tls");
  }

  private static Path only(String glob) throws Exception {
    try (var files = Files.newDirectoryStream(Path.of("..", "target", "dist"), glob)) {
      List<Path> found = new ArrayList<>();
      files.forEach(found::add);
      assertThat(found).as(glob).hasSize(1);
      return found.getFirst().toAbsolutePath().normalize();
    }
  }

  /** Gives the command of the page to the library. */
  private UpgradeCommand helm(Path kubeconfig, Path values) throws Exception {
    String command = page.block("sh", "helm upgrade ").replace("\\\n", " ");
    List<String> words = List.of(command.strip().split("\\s+", -1));
    assertThat(words.subList(0, 5))
        .containsExactly(
            "helm", "upgrade", "--install", RELEASE, "host/target/dist/coxswain-*-chart.tgz");
    UpgradeCommand upgrade =
        new Helm(only("coxswain-*-chart.tgz"))
            .upgrade()
            .install()
            .withName(RELEASE)
            .withKubeConfig(kubeconfig);
    for (int i = 5; i < words.size(); i++) {
      switch (words.get(i)) {
        case "--create-namespace" -> upgrade.createNamespace();
        case "--namespace" -> upgrade.withNamespace(words.get(++i));
        case "--values" -> {
          assertThat(words.get(++i)).isEqualTo("values.yaml");
          upgrade.withValuesFile(values);
        }
        case "--set" -> {
          String[] set = words.get(++i).split("=", 2);
          upgrade.set(set[0], set[1]);
        }
        default -> throw new AssertionError(words.get(i));
      }
    }
    return upgrade;
  }

  private Pod pod() throws Exception {
    return kubelet.start(RELEASE, RELEASE + "-6b8d-" + (char) ('a' + started++));
  }

  /** Kills a replica whose orders then change; the others reconcile them in time. */
  private void takeOver(List<Pod> pods) throws Exception {
    Map<String, List<String>> owners = owners();
    Pod victim =
        pods.stream().max(Comparator.comparingInt(pod -> orders(owners, pod).size())).orElseThrow();
    pods.remove(victim);
    List<String> orphans = orders(owners, victim);
    long killed = System.nanoTime();
    kubelet.kill(victim);
    for (String order : orphans) {
      change(order);
    }
    await("the orders of " + victim.name() + " are taken over", this::everythingIsReconciled);
    Duration taken = Duration.ofNanos(System.nanoTime() - killed);
    System.out.printf("%d orders taken over in %d ms%n", orphans.size(), taken.toMillis());
    assertThat(taken).isLessThan(TAKEOVER.plus(PATIENCE));
    pods.add(pod());
    kubelet.awaitReady(pods.getLast());
  }

  /** Replaces each pod as the strategy of the Deployment wants, while orders change. */
  private void rollOut(List<Pod> pods) throws Exception {
    JsonNode strategy =
        api.get("/apis/apps/v1/namespaces/" + NAMESPACE + "/deployments/" + RELEASE)
            .at("/spec/strategy/rollingUpdate");
    assertThat(strategy.path("maxSurge").asInt()).isEqualTo(1);
    assertThat(strategy.path("maxUnavailable").asInt(1)).isZero();
    AtomicBoolean rolling = new AtomicBoolean(true);
    Thread changes =
        Thread.ofVirtual()
            .start(() -> {
              for (int i = 0; rolling.get(); i = (i + 1) % ORDERS) {
                try {
                  change("order-" + i);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
                LockSupport.parkNanos(20_000_000);
              }
            });
    for (Pod old : List.copyOf(pods)) {
      pods.add(pod());
      kubelet.awaitReady(pods.getLast());
      pods.remove(old);
      assertThat(kubelet.terminate(old)).as(old.run().output()).isZero();
      assertThatNothingFailed(old);
      old.close();
    }
    rolling.set(false);
    changes.join();
    await("no change is lost", this::everythingIsReconciled);
  }

  /** Follows the page for the roles of the chart; the admin API is on loopback, so it is partial. */
  private void roles(Workstation person, List<Pod> pods) throws Exception {
    for (Pod pod : pods) {
      person.add(pod);
    }
    String block = page.block("sh", "shop-coxswain-operator");
    Printed shown = person.run(block.replace("oncall", "looking").replace("operator", "viewer"));
    assertThat(shown.text()).as("code %d", shown.code()).containsPattern("orders +running");
    shown = person.run(block.replaceFirst(".*\n", "")); // the namespace is the current one
    assertThat(shown.text()).as("code %d", shown.code()).containsPattern("orders +running");
    Matcher exec = Pattern.compile("`(kubectl exec POD -- .+?)`").matcher(page.text());
    int commands = 0;
    while (exec.find()) {
      String command = exec.group(1).replace("\n", " ").replace("POD", pods.getFirst().name());
      Printed printed = person.run(command);
      assertThat(printed.code()).as("%s: %s", command, printed.text()).isZero();
      commands++;
    }
    assertThat(commands).isEqualTo(2);
  }

  /** Follows the page for the certificate; now each replica answers for all of them. */
  private void overTls(Workstation person, int replicas) throws Exception {
    // In a cold process the first answer of a replica may take longer than it is waited for.
    await(
        "an answer of all replicas",
        () -> {
          Printed shown = person.run(page.block("sh", "get secret coxswain-admin-tls"));
          return shown.code() == 0
              && shown.text().contains("\"name\":\"orders\"")
              && !shown.text().contains("\"partial\":true");
        });
    String slots =
        "kubectl coxswain --certificate-authority ca.crt --service-account looking get slots"
            + " -o json";
    await(
        "slots that no longer move",
        () -> {
          Printed map = person.run(slots);
          return map.code() == 0 && SlotShares.areEven(JSON.readTree(map.text()), replicas);
        });
    String flush =
        "kubectl coxswain --certificate-authority ca.crt --service-account %s flush orders -A --all"
            + " --yes --reason moved";
    Printed refused = person.run(flush.formatted("looking"));
    assertThat(refused.code()).as(refused.text()).isEqualTo(1);
    assertThat(refused.text()).containsIgnoringCase("forbidden");
    await(
        "a preview of all replicas",
        () ->
            person
                .run(flush.formatted("oncall") + " --dry-run")
                .text()
                .contains(ORDERS + " items"));
    Printed flushed = person.run(flush.formatted("oncall"));
    assertThat(flushed.code()).as(flushed.text()).isZero();
    assertThat(flushed.text()).contains("Succeeded", ORDERS + " of " + ORDERS + " items flushed");
  }

  private static String orders() {
    return "/apis/shop.example.com/v1/namespaces/" + NAMESPACE + "/orders";
  }

  private static String order(int i) {
    return "{\"apiVersion\": \"shop.example.com/v1\", \"kind\": \"Order\", \"metadata\": {\"name\":"
        + " \"order-%d\"}, \"spec\": {\"amount\": 0}}".formatted(i);
  }

  private void change(String order) throws Exception {
    api.patch(
        orders() + "/" + order,
        "{\"spec\": {\"amount\": %d}}".formatted(System.nanoTime() & Integer.MAX_VALUE));
  }

  /** Returns the orders by the replica that reconciled them last. */
  private Map<String, List<String>> owners() throws Exception {
    Map<String, List<String>> owners = new TreeMap<>();
    for (JsonNode order : api.get(orders()).path("items")) {
      owners
          .computeIfAbsent(order.at("/status/replica").asText(), _ -> new ArrayList<>())
          .add(order.at("/metadata/name").asText());
    }
    return owners;
  }

  private static List<String> orders(Map<String, List<String>> owners, Pod pod) {
    return owners.getOrDefault(pod.name(), List.of());
  }

  private boolean everythingIsReconciled() throws Exception {
    for (JsonNode order : api.get(orders()).path("items")) {
      if (order.at("/status/generation").asLong() != order.at("/metadata/generation").asLong()) {
        return false;
      }
    }
    return true;
  }

  private void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - end)
          .as("%s: %s%n%s", what, owners(), kubelet.logs())
          .isNegative();
      LockSupport.parkNanos(20_000_000);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }
}
