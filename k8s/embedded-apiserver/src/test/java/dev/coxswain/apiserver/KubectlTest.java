// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real {@code kubectl} processes against the server; skipped where there is no kubectl. */
@Order(1) // takes long
final class KubectlTest {
  private static final long LIMIT_SECONDS = 120;
  private static final String BOATS =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: boats.demo.example.com}
      spec:
        group: demo.example.com
        scope: Namespaced
        names: {kind: Boat, plural: boats, shortNames: [bo]}
        versions:
        - name: v1
          served: true
          storage: true
          subresources:
            status: {}
            scale: {specReplicasPath: .spec.crew, statusReplicasPath: .status.crew}
          additionalPrinterColumns:
          - {name: Length, type: integer, jsonPath: .spec.length}
          schema:
            openAPIV3Schema:
              type: object
              description: A thing that swims.
              properties:
                spec:
                  type: object
                  properties:
                    length: {type: integer, description: From bow to stern.}
                    crew: {type: integer}
                status: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  @TempDir static Path folder;
  private static EmbeddedApiServer server;
  private static Path config;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(installed(), "kubectl is not installed, so nothing is tried with it");
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    config = Files.writeString(folder.resolve("config"), server.kubeconfig());
    Files.writeString(folder.resolve("boats.yaml"), BOATS);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static boolean installed() throws InterruptedException {
    try {
      return new ProcessBuilder("kubectl", "version", "--client").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** What a process printed and how it ended; immutable. */
  private record Result(int code, String text) {}

  private static Result run(String line) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("kubectl", "--cache-dir=" + folder.resolve("cache")));
    command.addAll(Arrays.asList(line.split(" ", -1)));
    Path out = Files.createTempFile(folder, "out", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(folder.toFile()).redirectOutput(out.toFile());
    builder.environment().put("KUBECONFIG", config.toString());
    builder.environment().put("KUBE_EDITOR", "sed -i s/white/black/");
    Process process = builder.start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("kubectl " + line + " did not end: " + Files.readString(out));
    }
    return new Result(process.exitValue(), Files.readString(out));
  }

  private static String ok(String line) throws Exception {
    Result result = run(line);
    assertThat(result.code()).as("kubectl %s: %s", line, result.text()).isZero();
    return result.text();
  }

  private static String fails(String line) throws Exception {
    Result result = run(line);
    assertThat(result.code()).as("kubectl %s: %s", line, result.text()).isNotZero();
    return result.text();
  }

  private static void file(String name, String yaml) throws IOException {
    Files.writeString(folder.resolve(name), yaml);
  }

  @Test
  void typedCreates_sendProtobufAndAreUnderstood() throws Exception {
    ok("create namespace typed");
    ok("-n typed create deployment web --image=nginx --replicas=2 --port=80");
    assertThat(
            ok(
                "-n typed get deployment web -o jsonpath={.spec.replicas}/{.spec.template.spec.containers[0].ports[0].containerPort}"))
        .isEqualTo("2/80");
    ok("-n typed create service clusterip web --tcp=80:8080");
    assertThat(ok("-n typed get service web -o jsonpath={.spec.ports[0].targetPort}"))
        .isEqualTo("8080");
    ok("-n typed create job once --image=busybox");
    ok("-n typed create quota q --hard=pods=2,cpu=500m");
    assertThat(ok("-n typed get quota q -o jsonpath={.spec.hard.cpu}")).isEqualTo("500m");
    ok("-n typed create pdb p --selector=app=web --min-available=50%");
    assertThat(ok("-n typed get pdb p -o jsonpath={.spec.minAvailable}")).isEqualTo("50%");
    ok("-n typed create ingress i --rule=example.com/=web:80");
    assertThat(
            ok(
                "-n typed get ingress i -o jsonpath={.spec.rules[0].http.paths[0].backend.service.name}"))
        .isEqualTo("web");
    ok("-n typed create role r --verb=get --resource=pods");
    ok("-n typed create rolebinding r --role=r --user=u");
    ok("-n typed create configmap c --from-literal=a=b");
    ok("-n typed create secret generic s --from-literal=a=b");
    ok("create priorityclass low --value=0");
  }

  @Test
  void reads_inEveryForm() throws Exception {
    ok("create configmap plain --from-literal=a=b");
    ok("label configmap plain tier=web");
    assertThat(ok("get configmaps -l tier=web")).contains("NAME", "DATA", "AGE", "plain");
    assertThat(ok("get configmap plain -o yaml")).contains("kind: ConfigMap", "a: b");
    assertThat(ok("get configmap plain -o name")).isEqualToIgnoringNewLines("configmap/plain");
    assertThat(
            ok(
                "get configmaps -A --field-selector=metadata.name=plain -o jsonpath={.items[*].data.a}"))
        .isEqualTo("b");
    assertThat(ok("get namespaces --chunk-size=1 -o name")).contains("namespace/kube-system");
    assertThat(ok("describe configmap plain")).contains("Name:", "plain");
    assertThat(ok("get --raw /readyz")).isEqualTo("ok");
    assertThat(ok("api-resources")).contains("configmaps", "deployments");
    assertThat(ok("api-versions")).contains("apps/v1");
    assertThat(ok("cluster-info")).contains("running at");
    assertThat(ok("events")).contains("No events");
    assertThat(ok("explain pod.spec.containers.image")).contains("<string>");
    assertThat(ok("auth can-i create pods")).startsWith("yes");
    assertThat(ok("auth can-i --list")).contains("*.*");
    assertThat(ok("auth whoami")).contains("coxswain-admin");
    assertThat(fails("get configmap none")).contains("NotFound");
    assertThat(fails("get nonsense")).contains("doesn't have a resource type");
  }

  @Test
  void apply_clientSideAndServerSide() throws Exception {
    String map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: {colour: %s}\n";
    file("map.yaml", map.formatted("white"));
    assertThat(ok("apply -f map.yaml")).contains("created");
    assertThat(ok("apply -f map.yaml")).contains("unchanged");
    assertThat(ok("edit configmap applied")).contains("edited");
    assertThat(ok("get configmap applied -o jsonpath={.data.colour}")).isEqualTo("black");
    assertThat(fails("diff -f map.yaml")).contains("-  colour: black", "+  colour: white");
    assertThat(ok("apply -f map.yaml")).contains("configured");
    file("side.yaml", map.formatted("red").replace("applied", "side"));
    assertThat(ok("apply --server-side --field-manager=one -f side.yaml"))
        .contains("serverside-applied");
    file("side.yaml", map.formatted("blue").replace("applied", "side"));
    assertThat(fails("apply --server-side --field-manager=two -f side.yaml"))
        .contains("conflict with \"one\"");
    ok("apply --server-side --field-manager=two --force-conflicts -f side.yaml");
    assertThat(ok("get configmap side -o jsonpath={.data.colour}")).isEqualTo("blue");
    file("side.yaml", map.formatted("green").replace("applied", "side"));
    assertThat(ok("replace -f side.yaml")).contains("replaced");
    assertThat(ok("annotate configmap side note=x")).contains("annotated");
    assertThat(fails("create -f map.yaml --dry-run=server -o name")).contains("already exists");
  }

  @Test
  void createToken_givesOneThatIsGoodForItsAudience() throws Exception {
    ok("create serviceaccount bot");
    String token = ok("create token bot --audience=coxswain-admin --duration=10m").strip();
    try (Http http = new Http(server)) {
      String review =
          "{\"spec\":{\"token\":\"%s\",\"audiences\":[\"coxswain-admin\"]}}".formatted(token);
      var status = http.post("/apis/authentication.k8s.io/v1/tokenreviews", review).body();
      assertThat(status.at("/status/authenticated").asBoolean()).as(token).isTrue();
      assertThat(status.at("/status/user/username").asText())
          .isEqualTo("system:serviceaccount:default:bot");
    }
    assertThat(fails("create token nobody")).contains("serviceaccounts \"nobody\" not found");
    assertThat(fails("create token bot --duration=1m")).contains("less than 10 minutes");
  }

  @Test
  void workloads_scaleRestartAndWait() throws Exception {
    ok("create deployment work --image=nginx");
    assertThat(ok("scale deployment work --replicas=3")).contains("scaled");
    assertThat(ok("get deployment work -o jsonpath={.spec.replicas}")).isEqualTo("3");
    assertThat(ok("rollout restart deployment work")).contains("restarted");
    assertThat(ok("set image deployment/work nginx=nginx:2")).contains("image updated");
    assertThat(fails("rollout status deployment work --timeout=1s")).contains("timed out");
    ok("wait deployment work --for=jsonpath={.spec.replicas}=3 --timeout=60s");
    ok(
        "patch deployment work --subresource=status --type=merge -p"
            + " {\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":\"True\"}]}}");
    ok("wait deployment work --for=condition=Available --timeout=60s");
    assertThat(ok("describe deployment work")).contains("Replicas:", "3 desired");
    ok("run one --image=nginx");
    assertThat(ok("get pods one")).contains("READY", "STATUS", "RESTARTS", "Pending");
    assertThat(fails("logs one")).contains("runs no containers");
    assertThat(fails("exec one -- ls")).contains("runs no containers");
  }

  @Test
  void deletes_waitForFinalizersAndFollowTheCascade() throws Exception {
    ok("create configmap held");
    ok(
        "patch configmap held --type=merge -p {\"metadata\":{\"finalizers\":[\"demo.example.com/f\"]}}");
    ok("delete configmap held --wait=false");
    assertThat(fails("wait configmap held --for=delete --timeout=1s")).contains("timed out");
    ok(
        "patch configmap held --type=json -p [{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}]");
    ok("wait configmap held --for=delete --timeout=60s");
    for (String cascade : List.of("background", "foreground", "orphan")) {
      ok("create configmap owner-" + cascade);
      String uid = ok("get configmap owner-" + cascade + " -o jsonpath={.metadata.uid}");
      file(
          "owned.yaml",
          "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: owned-"
              + cascade
              + "\n  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner-"
              + cascade
              + ", uid: "
              + uid
              + "}]\n");
      ok("create -f owned.yaml");
      ok("delete configmap owner-" + cascade + " --cascade=" + cascade);
      if (cascade.equals("orphan")) {
        assertThat(ok("get configmap owned-orphan -o jsonpath={.metadata.ownerReferences}"))
            .isEmpty();
      } else {
        ok("wait configmap owned-" + cascade + " --for=delete --timeout=60s");
      }
    }
    ok("create configmap many");
    ok("label configmap many sweep=yes");
    assertThat(ok("delete configmaps -l sweep=yes")).contains("deleted");
  }

  @Test
  void customResources_areAnyOtherResource() throws Exception {
    ok("apply -f boats.yaml");
    ok("wait crd boats.demo.example.com --for=condition=Established --timeout=60s");
    file(
        "boat.yaml",
        "apiVersion: demo.example.com/v1\nkind: Boat\nmetadata: {name: one}\nspec: {length: 7, crew: 1}\n");
    ok("apply -f boat.yaml");
    assertThat(ok("get bo")).contains("LENGTH", "7");
    assertThat(ok("describe boat one")).contains("Length:");
    assertThat(ok("explain boats")).contains("A thing that swims.");
    assertThat(ok("explain boats.spec --recursive")).contains("length", "<integer>");
    assertThat(ok("explain boats.spec.length")).contains("From bow to stern.");
    assertThat(ok("scale boat one --replicas=4")).contains("scaled");
    assertThat(ok("get boat one -o jsonpath={.spec.crew}")).isEqualTo("4");
    assertThat(ok("apply -f boat.yaml")).contains("configured");
    file(
        "boat.yaml",
        "apiVersion: demo.example.com/v1\nkind: Boat\nmetadata: {name: two}\nspec: {lenght: 7}\n");
    assertThat(fails("create -f boat.yaml")).contains("unknown field \"spec.lenght\"");
    ok("delete crd boats.demo.example.com --timeout=60s");
  }

  /** It looks into both versions of OpenAPI before it says so. */
  @Test
  void aKindThatThereIsNot_isSaidToBeThat() throws Exception {
    file("nope.yaml", "apiVersion: nope.example.org/v1\nkind: Nope\nmetadata: {name: x}\n");
    file("misspelt.yaml", "apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: x}\n");
    for (String command : List.of("apply -f ", "create -f ", "apply --server-side -f ")) {
      assertThat(fails(command + "nope.yaml")).contains("no matches for kind \"Nope\"");
      assertThat(fails(command + "misspelt.yaml")).contains("no matches for kind \"Deploymnt\"");
    }
  }

  @Test
  void watch_showsWhatComes() throws Exception {
    ok("create configmap seen");
    Result watch = run("get configmaps -w --request-timeout=10s");
    assertThat(watch.text()).contains("seen");
    Result only = run("get configmaps --watch-only --request-timeout=2s");
    assertThat(only.text()).doesNotContain("seen");
  }
}
