// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import dev.coxswain.view.QueuedItem;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Declared dependants are what their functions return, and are written only to become so. */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class DependantsTest {

  private static final Request SHOP = Request.of("default", "shop");
  private static final Request PAGE = Request.of("default", "shop-page");
  private static final Pattern WRITE =
      Pattern.compile("R\\d+ +(PATCH|POST|PUT|DELETE) \\S*/(configmaps|deployments)\\S*");

  private static void run(CoxswainTest kit, int replicas, String message) {
    kit.install(Site.DEFINITION);
    kit.run(new DeclaredSites());
    change(kit, replicas, message);
  }

  private static void change(CoxswainTest kit, int replicas, String message) {
    kit.apply(Site.yaml("shop", replicas, message));
    kit.settle();
  }

  private static Site shop(CoxswainTest kit) {
    return kit.client().resource(Site.class).get(SHOP).orElseThrow();
  }

  private static V1ConfigMap page(CoxswainTest kit) {
    return kit.client().resource(V1ConfigMap.class).get(PAGE).orElseThrow();
  }

  private static Optional<V1Deployment> server(CoxswainTest kit) {
    return kit.client().resource(V1Deployment.class).get(SHOP);
  }

  private static Map<String, String> data(CoxswainTest kit) {
    return Objects.requireNonNullElse(page(kit).getData(), Map.of());
  }

  private static V1ObjectMeta metadata(KubernetesObject object) {
    return object.getMetadata();
  }

  private static long writes(CoxswainTest kit) {
    return WRITE.matcher(kit.timeline()).results().count();
  }

  private static void touch(Kubernetes k8s, String note) {
    k8s.resource(Site.class)
        .modify(SHOP, site -> site.getMetadata().putAnnotationsItem("note", note));
  }

  @Test
  void dependants_follow_theirPrimaryObject(CoxswainTest kit) {
    run(kit, 2, "hello");

    assertThat(data(kit)).containsEntry("message", "hello").hasSize(2);
    assertThat(OwnerReferences.isControlledBy(page(kit), shop(kit))).isTrue();
    assertThat(server(kit))
        .map(one -> Objects.requireNonNull(one.getSpec()).getReplicas())
        .contains(2);
    assertThat(shop(kit).status().volume()).isEqualTo("shop-page");
    assertThat(writes(kit)).as(kit.timeline()).isEqualTo(2);

    change(kit, 3, "none");
    assertThat(data(kit)).as("without the field that is no longer desired").hasSize(1);
    assertThat(server(kit))
        .map(one -> Objects.requireNonNull(one.getSpec()).getReplicas())
        .contains(3);

    change(kit, 0, "none");
    assertThat(server(kit)).as("desired no longer").isEmpty();
    assertThat(writes(kit)).isEqualTo(5);

    kit.client().resource(Site.class).delete(SHOP);
    kit.settle();
    assertThat(kit.client().resource(V1ConfigMap.class).get(PAGE)).isEmpty();
    assertThat(writes(kit)).as("deleted by its owner reference").isEqualTo(5);
  }

  @Test
  void nothingIsWritten_whileAllIsAsApplied_alsoByAnotherProcess(CoxswainTest kit) {
    run(kit, 2, "hello");
    long before = writes(kit);

    touch(kit.client(), "one");
    kit.settle();
    kit.crash();
    touch(kit.client(), "two");
    kit.settle();

    assertThat(writes(kit)).isEqualTo(before);
  }

  @Test
  void editsOfAppliedFields_areUndone_andOthersStay(CoxswainTest kit) {
    run(kit, 2, "hello");

    kit.client()
        .resource(V1ConfigMap.class)
        .modify(
            PAGE,
            map -> {
              metadata(map).putLabelsItem("team", "web");
              map.setData(new HashMap<>(Map.of("message", "bye", "extra", "of a user")));
            });
    kit.client().resource(V1Deployment.class).delete(SHOP);
    kit.settle();

    assertThat(data(kit))
        .containsEntry("message", "hello")
        .containsEntry("index.html", "<h1>Hello</h1>")
        .containsEntry("extra", "of a user");
    assertThat(metadata(page(kit)).getLabels()).containsEntry("team", "web");
    assertThat(server(kit)).isPresent();
    assertThat(writes(kit)).as("one of them refused, for the names of the fields").isEqualTo(5);
  }

  @Test
  void anItemThatAnotherWriterAdds_stays_andIsAppliedAroundOnce(CoxswainTest kit) {
    run(kit, 2, "hello");
    kit.client()
        .resource(V1Deployment.class)
        .modify(
            SHOP,
            one -> pod(one).addContainersItem(new V1Container().name("sidecar").image("proxy")));
    kit.settle();
    assertThat(writes(kit)).isEqualTo(3);

    touch(kit.client(), "one");
    kit.settle();
    touch(kit.client(), "two");
    kit.settle();

    assertThat(writes(kit)).as("the server has found no difference").isEqualTo(3);
    assertThat(pod(server(kit).orElseThrow()).getContainers())
        .extracting(V1Container::getName)
        .containsExactly("web", "sidecar");
  }

  private static V1PodSpec pod(V1Deployment deployment) {
    return Objects.requireNonNull(
        Objects.requireNonNull(deployment.getSpec()).getTemplate().getSpec());
  }

  @Test
  void aDependantIsReady_byItsCondition_andItsEventsLeadToItsPrimaryObject(CoxswainTest kit) {
    run(kit, 2, "hello");
    assertThat(shop(kit).status().phase()).isEqualTo("not ready: Deployment default/shop");

    kit.client()
        .resource(V1Deployment.class)
        .modifyStatus(
            SHOP, one -> one.setStatus(new V1DeploymentStatus().replicas(2).availableReplicas(2)));
    kit.settle();

    assertThat(shop(kit).status().phase()).isEqualTo("ready");
  }

  @Test
  void anObjectOfAnotherController_isNeitherTakenOverNorDeleted(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new DeclaredSites());
    kit.apply(Site.yaml("other", 0, "hello"));
    kit.settle();
    Site other =
        kit.client().resource(Site.class).get(Request.of("default", "other")).orElseThrow();
    V1ConfigMap map =
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("default").name("shop-page"))
            .data(Map.of("message", "of the other"));
    OwnerReferences.setController(ResourceType.of(Site.class), other, map);
    kit.client().resource(V1ConfigMap.class).create(map);

    change(kit, 1, "hello");

    assertThat(kit.items("declared"))
        .extracting(QueuedItem::lastError)
        .asString()
        .contains("is controlled by Site \"other\" already");
    assertThat(data(kit)).isEqualTo(Map.of("message", "of the other"));
    assertThat(server(kit)).as("after the failure").isEmpty();
  }

  @Test
  void aRefusal_failsTheAttempt_whichIsRepeated(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new DeclaredSites());
    kit.faults().failNext(1, 409, Duration.ZERO, uri -> uri.contains("shop-page"));
    change(kit, 1, "hello");

    assertThat(kit.queue("declared").delayed()).isEqualTo(1);
    assertThat(kit.items("declared")).extracting(QueuedItem::lastError).asString().contains("409");
    kit.eventually("the page is there", () -> server(kit).isPresent(), there -> there);
  }

  @Test
  void dependants_endTheSame_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new DeclaredSites())
            .inParallel()
            .install(Site.DEFINITION)
            .apply("a site is created", Site.yaml("shop", 1, "hello"))
            .apply("a field is dropped", Site.yaml("shop", 2, "none"))
            .apply("its server goes", Site.yaml("shop", 0, "none"))
            .apply("its server comes back", Site.yaml("shop", 1, "hello"))
            .whenAtRest(
                "the page is damaged",
                k8s ->
                    k8s.resource(V1ConfigMap.class)
                        .modify(PAGE, map -> map.setData(Map.of("message", "bye"))));

    ExplorationReport report = kit.explore(scenario.atMost(TestLength.of(30, Integer.MAX_VALUE)));

    System.out.println("declared dependants: " + report.text());
    report.verify();
  }

  @Test
  void dependants_areGoneWithTheirPrimaryObject_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new DeclaredSites())
            .inParallel()
            .install(Site.DEFINITION)
            .apply("a site is created", Site.yaml("shop", 1, "hello"))
            .then("it is deleted", k8s -> k8s.resource(Site.class).delete(SHOP));

    ExplorationReport report = kit.explore(scenario.atMost(TestLength.of(30, Integer.MAX_VALUE)));

    System.out.println("declared dependants, deleted: " + report.text());
    report.verify();
  }
}
