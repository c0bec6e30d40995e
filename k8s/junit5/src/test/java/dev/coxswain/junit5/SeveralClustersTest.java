// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test has as many clusters as it names, on each ground. */
class SeveralClustersTest {

  private static final Request LAMP = Request.of("lamps", "lamp");
  private static final String ABORTED = "aborted: ";

  /** Counts the ConfigMaps of each cluster in one of the first. */
  private static final class Counts implements ControllerDefinition {
    @Override
    public String name() {
      return "counts";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes k8s = environment.get(Kubernetes.class);
      ControllerBuilder builder = k8s.controller(name());
      for (String cluster : k8s.clusters()) {
        builder.watches(
            k8s.cluster(cluster)
                .kind(V1ConfigMap.class)
                .labels("lamp")
                .handledBy(Handlers.inCluster(cluster, Handlers.object())));
      }
      return builder.reconciles((request, _) -> {
        k8s.resource(V1ConfigMap.class)
            .createOrPatch(
                Request.of("lamps", request.cluster()),
                V1ConfigMap::new,
                map -> map.putDataItem("seen", request.toString()));
        return Result.done();
      });
    }
  }

  private static final String LAMPS =
      "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: lamps, name: lamp, labels: {lamp: lit}}}";
  private static final String NAMESPACE =
      "{apiVersion: v1, kind: Namespace, metadata: {name: lamps}}";

  /** Runs on each ground, each test with what the one before had. */
  @ExtendWith(CoxswainExtension.class)
  static class TwoMembers {

    private static void check(CoxswainTest kit) {
      assertThat(kit.cluster("eu").client().resource(V1ConfigMap.class).get(LAMP)).isEmpty();
      kit.apply(NAMESPACE);
      kit.cluster("us");
      kit.run(new Counts());
      kit.cluster("eu").apply(LAMPS);
      kit.cluster("us").apply(LAMPS);
      kit.settle();
      assertThat(seen(kit, "eu")).isEqualTo("lamps/eu/lamp");
      assertThat(seen(kit, "us")).isEqualTo("lamps/us/lamp");
      assertThat(kit.client().clusters()).containsExactly("eu", "us");
    }

    private static String seen(CoxswainTest kit, String cluster) {
      return kit.client()
          .resource(V1ConfigMap.class)
          .get(Request.of("lamps", cluster))
          .orElseThrow()
          .getData()
          .get("seen");
    }

    @Test
    void changesInAll_areSettledTogether(CoxswainTest kit) {
      check(kit);
    }

    @Test
    void theNextTest_findsThemEmpty(CoxswainTest kit) {
      check(kit);
    }

    @Test
    void anotherTest_hasOneCluster(CoxswainTest kit) {
      kit.apply(NAMESPACE);
      assertThat(kit.client().clusters()).isEmpty();
    }

    @Test
    void afterACrash_theNextProcessHasAll(CoxswainTest kit) {
      check(kit);
      kit.client().resource(V1ConfigMap.class).delete(Request.of("lamps", "us"));
      kit.crash();
      assertThat(seen(kit, "us")).isEqualTo("lamps/us/lamp");
    }

    @Test
    void aClusterThatIsNamedLate_isRefused(CoxswainTest kit) {
      kit.apply(NAMESPACE);
      kit.cluster("eu");
      kit.run(new Counts());
      assertThatThrownBy(() -> kit.cluster("us"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "the controllers run without cluster \"us\": call cluster(\"us\") before run(...);"
                  + " there are [eu]");
      assertThatThrownBy(() -> kit.cluster("Not a name")).hasMessageContaining("a-z, 0-9 and '-'");
      assertThatThrownBy(() -> kit.cluster("limit")).hasMessageContaining("cannot be named");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "embedded"})
  void aTestOfThree_runsOnServersOfItsOwn(String ground) {
    assertThat(GroundRun.of(TwoMembers.class, ground).values()).hasSize(5).containsOnly("passed");
  }

  @TempDir Path folder;

  private EmbeddedApiServer server() {
    return EmbeddedApiServer.startBlocking(
        EmbeddedApiServerOptions.defaults()
            .withTokens(List.of(new Token("t-admin", "admin", List.of("system:masters")))));
  }

  private String kubeconfig(EmbeddedApiServer server, String name) throws IOException {
    return Files.writeString(folder.resolve(name), server.kubeconfig()).toString();
  }

  private static List<String> namespaces(String kubeconfig) throws IOException {
    try (Kubernetes k8s =
        Kubernetes.fromKubeconfig(Path.of(kubeconfig), KubernetesOptions.DEFAULT)) {
      return k8s.resource(V1Namespace.class).list(ListOptions.ALL).stream()
          .map(V1Namespace::getMetadata)
          .map(V1ObjectMeta::getName)
          .sorted()
          .toList();
    }
  }

  @Test
  void atClusters_itRuns_andLeavesNothingInAny() throws IOException {
    try (EmbeddedApiServer hub = server();
        EmbeddedApiServer eu = server()) {
      String first = kubeconfig(hub, "hub");
      String second = kubeconfig(eu, "eu");
      List<String> before = namespaces(second);

      Map<String, String> results =
          GroundRun.of(TwoMembers.class, first, Map.of("eu", second, "us", "embedded"));

      assertThat(results.values()).hasSize(5).containsOnly("passed");
      assertThat(namespaces(first)).isEqualTo(before);
      assertThat(namespaces(second)).isEqualTo(before);
    }
  }

  @Test
  void atAClusterAlone_itIsAborted_withWhatIsMissing() throws IOException {
    try (EmbeddedApiServer hub = server()) {
      String file = kubeconfig(hub, "hub");
      assertThat(GroundRun.of(TwoMembers.class, file).get("changesInAll_areSettledTogether"))
          .startsWith(
              ABORTED + "this test needs a further cluster, \"eu\", and cannot run on the cluster")
          .endsWith("alone: name it with -Dcoxswain.cluster.eu=KUBECONFIG");
      assertThat(
              GroundRun.of(TwoMembers.class, file, Map.of("eu", file))
                  .get("changesInAll_areSettledTogether"))
          .startsWith(ABORTED + "-Dcoxswain.cluster.eu names the cluster at http")
          .contains("which the test uses already");
    }
  }
}
