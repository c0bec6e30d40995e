// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testing.KindDefinitions;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The webhooks of controllers decide on the writes of a test, and convert its objects. */
@ExtendWith(CoxswainExtension.class)
class KitWebhooksTest {

  private static final Request KEY = new Request("default", "a");
  private static final String BOXES = KindDefinitions.boxes("v1alpha1", "v1", "v1");
  private static final String OLD =
      "{apiVersion: tests.coxswain.dev/v1alpha1, kind: Box, metadata: {name: a}, size: 4}";

  private static String map(String value) {
    return "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {v: \""
        + value
        + "\"}}";
  }

  private static Map<String, String> data(CoxswainTest kit) {
    return Objects.requireNonNull(
        kit.client().resource(V1ConfigMap.class).get(KEY).orElseThrow().getData());
  }

  @Test
  void writes_areDeniedAndCompleted_alsoThoseOfAClient(CoxswainTest kit) {
    kit.run(new Boxes());
    assertThatThrownBy(() -> kit.apply(map("bad"))).hasMessageContaining("bad is bad");
    kit.apply(map("good"));
    assertThat(data(kit)).containsEntry("seen", "true");
    kit.settle();
    assertThat(data(kit)).as("by the reconciler").containsEntry("reconciled", "true");
    assertThatThrownBy(() ->
            kit.client()
                .resource(V1ConfigMap.class)
                .modify(KEY, map -> map.putDataItem("v", "bad")))
        .hasMessageContaining("bad is bad");
  }

  @Test
  void aWebhook_isCalledInTheNextProcess(CoxswainTest kit) {
    kit.run(new Boxes());
    kit.crash();
    assertThatThrownBy(() -> kit.apply(map("bad"))).hasMessageContaining("bad is bad");
    kit.handOver();
    assertThatThrownBy(() -> kit.apply(map("bad"))).hasMessageContaining("bad is bad");
  }

  @Test
  void objectsOfAnOldVersion_areConverted_beforeTheyAreStored(CoxswainTest kit) {
    kit.install(BOXES);
    kit.run(new Boxes());
    kit.apply(OLD);
    assertThat(kit.client().resource(NewBox.class).get(KEY).orElseThrow().count).isEqualTo(4);
    assertThat(kit.client().resource(OldBox.class).get(KEY).orElseThrow().size).isEqualTo(4);
  }

  /** The definition stays for all tests of the class, what a test has registered does not. */
  @Test
  void withoutTheController_nothingIsCalled(CoxswainTest kit) {
    kit.install(BOXES);
    kit.run(new Plain());
    kit.apply(OLD);
    kit.apply(map("bad"));
    assertThat(kit.client().resource(OldBox.class).get(KEY)).isPresent();
  }

  @Test
  void aKindThatIsConvertedTwice_isRefused(CoxswainTest kit) {
    assertThatThrownBy(() -> kit.run(new Boxes(), new Boxes("crates")))
        .hasMessageContaining("\"boxes\" and \"crates\" both convert");
  }

  @Test
  void anExploration_callsThemInEachRun(CoxswainTest kit) {
    kit.explore(
            Scenario.of(new Boxes())
                .install(BOXES)
                .apply("a map", map("good"))
                .apply("a box", OLD)
                .atMost(20))
        .verify();
  }

  private static final class Plain implements ControllerDefinition {
    @Override
    public String name() {
      return "plain";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name())
          .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
          .reconciles((request, context) -> Result.done());
    }
  }

  private static final class Boxes implements ControllerDefinition, WebhookDefinition {
    private final String name;

    Boxes() {
      this("boxes");
    }

    Boxes(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      webhooks
          .mutating(
              V1ConfigMap.class,
              request -> AdmissionResponse.patched(request.object().putDataItem("seen", "true")))
          .validating(
              V1ConfigMap.class,
              request ->
                  "bad".equals(Objects.requireNonNull(request.object().getData()).get("v"))
                      ? AdmissionResponse.denied("bad is bad")
                      : AdmissionResponse.allowed())
          .converting(
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
      Kubernetes k8s = environment.get(Kubernetes.class);
      return Controller.named(name)
          .watches(k8s.kind(V1ConfigMap.class).toSource())
          .reconciles((request, context) -> {
            if (k8s.resource(V1ConfigMap.class).get(request).isPresent()) {
              k8s.resource(V1ConfigMap.class)
                  .modify(request, map -> map.putDataItem("reconciled", "true"));
            }
            return Result.done();
          });
    }
  }

  @KubernetesResource(
      group = "tests.coxswain.dev",
      version = "v1alpha1",
      plural = "boxes",
      kind = "Box")
  private static final class OldBox extends CustomObject {
    private int size;
  }

  @KubernetesResource(group = "tests.coxswain.dev", version = "v1", plural = "boxes", kind = "Box")
  private static final class NewBox extends CustomObject {
    private int count;
  }
}
