// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * A test at a cluster changes nothing that it has not made, and leaves nothing. An embedded server stands
 * for the cluster; {@code -Dcoxswain.it.kubeconfig=FILE} is a real one.
 */
class ClusterGroundTest {

  @TempDir Path folder;

  private EmbeddedApiServer standIn;
  private Path kubeconfig;
  private Kubernetes k8s;

  @BeforeEach
  void connect() throws IOException {
    String real = System.getProperty("coxswain.it.kubeconfig", "");
    if (real.isEmpty()) {
      standIn =
          EmbeddedApiServer.startBlocking(
              EmbeddedApiServerOptions.defaults()
                  .withTokens(List.of(new Token("t-admin", "admin", List.of("system:masters")))));
      kubeconfig = Files.writeString(folder.resolve("kubeconfig"), standIn.kubeconfig());
    } else {
      kubeconfig = Path.of(real);
    }
    k8s = Kubernetes.fromKubeconfig(kubeconfig, KubernetesOptions.DEFAULT);
  }

  @AfterEach
  void disconnect() {
    k8s.close();
    if (standIn != null) {
      standIn.close();
    }
  }

  private Map<String, String> run(Class<?> tests) {
    return GroundRun.of(tests, kubeconfig.toString());
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    Resource<V1Namespace> namespaces = k8s.resource(V1Namespace.class);
    namespaces.list(ListOptions.ALL).forEach(one -> names.add(namespaces.key(one).name()));
    definitions().list(ListOptions.ALL).forEach(one -> names.add(definitions().key(one).name()));
    return names;
  }

  private Resource<Unstructured> definitions() {
    return k8s.resource(Site.DEFINITIONS);
  }

  private static Unstructured definition() {
    Map<String, Object> yaml = new Yaml().load(Site.DEFINITION);
    return Unstructured.of(JsonParser.parseString(new Gson().toJson(yaml)).getAsJsonObject());
  }

  @Test
  void theSameTest_runsThere_andLeavesNothing() {
    Set<String> before = names();

    Map<String, String> results = run(SameOnEachGround.class);

    Set<String> missing = new TreeSet<>(GroundTest.VIRTUAL_ONLY);
    missing.addAll(
        Set.of(
            "aFault_isInjected",
            "aWebhook_denies",
            "aNamespaceOfOthers_isUsed",
            "aClient_usesANamespaceOfOthers"));
    GroundTest.requireAborted(results, missing);
    assertThat(results.get("aFault_isInjected"))
        .contains("faults() cannot run on the cluster at http");
    assertThat(results.get("aWebhook_denies"))
        .contains("the webhooks of controller \"site\" cannot run on the cluster");
    assertThat(results.get("aNamespaceOfOthers_isUsed"))
        .contains("namespace \"default\", which was in the cluster before");
    assertThat(names()).as("namespaces and definitions").isEqualTo(before);
  }

  /** One test of the class. */
  @ExtendWith(CoxswainExtension.class)
  static class OneSite {
    @Test
    void aSite_becomesReady(CoxswainTest kit) {
      new SameOnEachGround().afterSettling_everythingThatFollowsIsDone(kit);
    }
  }

  @Test
  void aDefinition_thatWasThere_isUsed_andStays() {
    definitions().create(definition());
    try {
      assertThat(run(OneSite.class)).containsEntry("aSite_becomesReady", "passed");
      assertThat(definitions().get(Site.DEFINED)).isPresent();
    } finally {
      definitions().delete(Site.DEFINED);
    }
  }

  @Test
  void anotherDefinition_thatWasThere_isNotReplaced() {
    JsonObject other = definition().json();
    other
        .getAsJsonObject("spec")
        .getAsJsonObject("names")
        .add("shortNames", JsonParser.parseString("[st]"));
    Unstructured before = definitions().create(Unstructured.of(other));
    try {
      assertThat(run(OneSite.class).get("aSite_becomesReady"))
          .startsWith("aborted: definition \"sites.test.coxswain.dev\" was in the cluster before");
      assertThat(definitions().get(Site.DEFINED).orElseThrow().json().get("spec"))
          .isEqualTo(before.json().get("spec"));
    } finally {
      definitions().delete(Site.DEFINED);
    }
  }

  @Test
  void aNamespace_ofAnotherRun_isRefused() {
    Resource<V1Namespace> namespaces = k8s.resource(V1Namespace.class);
    namespaces.create(
        new V1Namespace()
            .metadata(
                new V1ObjectMeta()
                    .name("site-tests")
                    .labels(Map.of("coxswain.dev/test-run", "other"))));
    try {
      assertThat(run(OneSite.class).get("aSite_becomesReady"))
          .startsWith("failed: ")
          .contains("namespace \"site-tests\" is used by test run other")
          .contains("kubectl delete namespaces,crd -l coxswain.dev/test-run=other");
      assertThat(namespaces.get(Request.of("site-tests"))).isPresent();
    } finally {
      namespaces.delete(Request.of("site-tests"));
      Await.until(
          "the namespace is deleted", () -> namespaces.get(Request.of("site-tests")).isEmpty());
    }
  }

  /** A controller that is stopped before it has removed its finalizer. */
  @ExtendWith(CoxswainExtension.class)
  static class NoController {
    @Test
    void aFinalizer_isLeft(CoxswainTest kit) {
      kit.install(Site.DEFINITION);
      kit.apply(SameOnEachGround.site("site-tests"));
      Resource<Site> sites = kit.client().resource(Site.class);
      assertThat(Finalizers.add(sites, Request.of("site-tests", "shop"), "test.coxswain.dev/none"))
          .isPresent();
    }
  }

  @Test
  void aFinalizer_thatNoControllerServes_isRemoved() {
    Set<String> before = names();
    assertThat(run(NoController.class)).containsEntry("aFinalizer_isLeft", "passed");
    assertThat(names()).isEqualTo(before);
  }

  @Test
  void aKubeconfig_thatCannotBeUsed_failsTheTest() {
    assertThat(GroundRun.of(OneSite.class, folder.resolve("none").toString()).toString())
        .contains("failed: ")
        .contains("coxswain.cluster=" + folder.resolve("none"));
    assertThat(GroundRun.of(OneSite.class, kubeconfig + "#nowhere").toString())
        .contains("failed: ")
        .contains("nowhere");
  }

  /** Greets each ConfigMap of the label, and one of others when its name is "all". */
  private static final class Greeter implements ControllerDefinition {
    @Override
    public String name() {
      return "greeter";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes k8s = environment.get(Kubernetes.class);
      Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
      return Controller.named(name())
          .watches(k8s.kind(V1ConfigMap.class).labels("greet=yes").toSource())
          .reconciles((request, _) -> {
            maps.modify(request, map -> map.putDataItem("hello", request.name()));
            if (request.name().equals("all")) {
              maps.modify(FOREIGN, map -> map.putDataItem("hello", "all"));
            }
            return Result.done();
          });
    }
  }

  private static final Request FOREIGN = Request.of("of-others", "a");

  /** What a test of the greeter does beside an object of others. */
  @ExtendWith(CoxswainExtension.class)
  static class Greetings {
    private static void greet(CoxswainTest kit, String name) {
      kit.run(new Greeter());
      kit.apply(
          "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: greetings, labels: {greet: 'yes'}}}"
              .formatted(name));
      kit.settle();
      assertThat(
              kit.client()
                  .resource(V1ConfigMap.class)
                  .get(Request.of("greetings", name))
                  .orElseThrow()
                  .getData())
          .containsEntry("hello", name);
    }

    @Test
    void itsOwn_isGreeted(CoxswainTest kit) {
      greet(kit, "own");
      assertThat(kit.timeline()).doesNotContain("of-others");
    }

    @Test
    void thatOfOthers_isWritten(CoxswainTest kit) {
      greet(kit, "all");
    }
  }

  @Test
  void objectsOfOthers_areNeitherReconciledNorChanged() {
    Resource<V1Namespace> namespaces = k8s.resource(V1Namespace.class);
    Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
    V1ObjectMeta of = new V1ObjectMeta().name(FOREIGN.namespace());
    namespaces.create(new V1Namespace().metadata(of));
    try {
      V1ConfigMap before =
          maps.create(
              new V1ConfigMap()
                  .metadata(
                      new V1ObjectMeta()
                          .namespace(FOREIGN.namespace())
                          .name(FOREIGN.name())
                          .labels(Map.of("greet", "yes"))));

      Map<String, String> results = run(Greetings.class);

      assertThat(results).containsEntry("itsOwn_isGreeted", "passed");
      assertThat(results.get("thatOfOthers_isWritten"))
          .startsWith("aborted: the test uses namespace \"of-others\"");
      assertThat(maps.get(FOREIGN)).contains(before);
    } finally {
      namespaces.delete(Request.of(FOREIGN.namespace()));
      Await.until(
          "the namespace is deleted",
          () -> namespaces.get(Request.of(FOREIGN.namespace())).isEmpty());
    }
  }
}
