// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static dev.coxswain.junit5.SiteController.controller;
import static dev.coxswain.junit5.SiteController.oneSite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.reconcile.Request;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the run without a perturbation must be, and what a report says of it. */
@ExtendWith(CoxswainExtension.class)
class ReferenceRunTest {

  private static final Request SHOP = Request.of("default", "shop");
  private static final ControllerDefinition GREETING =
      controller((request, site, parts) ->
          parts
              .writeSites()
              .modifyStatus(
                  request, now -> now.setStatus(new Site.Status(site.spec().message(), null))));

  private static JsonObject json(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  @Test
  void aReferenceThatNeverSucceeds_isRefused_alsoWhenTheLastAttemptFindsNothing(CoxswainTest kit) {
    ControllerDefinition failing =
        controller((_, _, _) -> {
          throw new IllegalStateException("no address is configured");
        });
    Scenario scenario =
        oneSite(failing).then("it is deleted", k8s -> k8s.resource(Site.class).delete(SHOP));

    assertThatThrownBy(() -> kit.explore(scenario))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the reference run breaks a law: [nothing succeeds")
        .hasMessageContaining("controller \"site\"")
        .hasMessageContaining("no address is configured");
  }

  @Test
  void aReferenceWithoutAnAttempt_isRefused(CoxswainTest kit) {
    Scenario nothing =
        Scenario.of(GREETING).install(Site.DEFINITION).then("nothing happens", _ -> {});

    assertThatThrownBy(() -> kit.explore(nothing))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no step leads to an attempt");
  }

  @Test
  void anObjectThatWaitsForItsFinalizerForEver_isFoundInTheReference_unlessDeclared(
      CoxswainTest kit) {
    ControllerDefinition forgetful =
        controller((request, _, parts) ->
            Finalizers.add(parts.writeSites(), request, "test.coxswain.dev/forgotten"));
    Scenario scenario =
        oneSite(forgetful).then("it is deleted", k8s -> k8s.resource(Site.class).delete(SHOP));

    assertThatThrownBy(() -> kit.explore(scenario))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("stuck: Site default/shop is deleted and waits for its finalizers")
        .hasMessageContaining("test.coxswain.dev/forgotten");
    kit.explore(scenario.mayDiffer("Site", "metadata.finalizers").only(Kind.DUPLICATE)).verify();
  }

  @Test
  void writesThatChangeNothing_areReported(CoxswainTest kit) {
    ControllerDefinition blunt =
        controller((request, site, parts) ->
            parts
                .writeSites()
                .patchStatus(
                    request, json("{\"status\": {\"phase\": \"" + site.spec().message() + "\"}}")));

    ExplorationReport report = kit.explore(oneSite(blunt).only(Kind.DUPLICATE));

    String write = "PATCH /apis/test.coxswain.dev/v1/namespaces/default/sites/status";
    assertThat(report.idleWrites()).containsEntry(write, 2).hasSize(1);
    assertThat(report.text()).contains("changed nothing: " + write + ", 2 writes");
    assertThat(kit.explore(oneSite(GREETING).only(Kind.DUPLICATE)).idleWrites()).isEmpty();
  }

  @Test
  void aReport_saysWhatWasCovered(CoxswainTest kit) {
    ExplorationReport report =
        kit.explore(
            oneSite(GREETING)
                .then("nothing happens", _ -> {})
                .without(Kind.MOVE)
                .only(Kind.CRASH_AFTER, Kind.MOVE, Kind.EARLY_STEP, Kind.USER_EDIT));

    assertThat(report.text())
        .contains(
            "compared at rest after each of 2 steps",
            "step \"a site is created\": 2 attempts",
            "step \"nothing happens\": ",
            "crash-after 1",
            "move (left out)");
    assertThat(report.coverage()).isNotEmpty();
  }

  @Test
  void requestsThatFailAtRest_areInTheReport(CoxswainTest kit) {
    ControllerDefinition strict =
        controller((request, site, parts) -> {
          if (site.spec().replicas() > 1) {
            throw new IllegalArgumentException("too many replicas");
          }
          parts
              .writeSites()
              .modifyStatus(request, now -> now.setStatus(new Site.Status("ready", null)));
        });

    ExplorationReport report =
        kit.explore(
            oneSite(strict)
                .apply("it becomes too large", Site.yaml("shop", 2, "hello"))
                .only(Kind.DUPLICATE)
                .atMost(1));

    assertThat(report.text())
        .contains("failing at rest after \"it becomes too large\": site default/shop:")
        .contains("too many replicas");
  }

  @Test
  void twoControllersOfOneName_areRefused(CoxswainTest kit) {
    assertThatThrownBy(() -> kit.explore(Scenario.of(GREETING, GREETING).then("go", _ -> {})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two controllers are named \"site\"");
    assertThatThrownBy(() -> kit.run(GREETING, GREETING))
        .hasMessageContaining("two controllers are named \"site\"");
  }

  @Test
  void twoDefinitionsOfOneName_areRefused_andEachTestHasItsOwn(CoxswainTest kit) {
    String other = Site.DEFINITION.replace("singular: site", "singular: site, shortNames: [si]");

    assertThatThrownBy(() -> kit.explore(oneSite(GREETING).install(other)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two different definitions of sites.test.coxswain.dev");
    kit.explore(oneSite(GREETING).install(Site.DEFINITION).only(Kind.DUPLICATE)).verify();
    kit.install(Site.DEFINITION);
    kit.install(Site.DEFINITION);
    assertThatThrownBy(() -> kit.install(other))
        .hasMessageContaining("two different definitions of sites.test.coxswain.dev");
  }

  @Test
  void aDefinitionThatAStepDeletes_isFollowed_andIsThereInTheNextRun(CoxswainTest kit) {
    Scenario scenario =
        oneSite(GREETING)
            .whenAtRest(
                "the definition goes", k8s -> k8s.resource(Site.DEFINITIONS).delete(Site.DEFINED))
            .apply("it comes back", Site.DEFINITION)
            .apply("a site is created again", Site.yaml("shop", 1, "again"));

    ExplorationReport report = kit.explore(scenario);

    report.verify();
    assertThat(report.total()).isGreaterThan(20);
    kit.explore(oneSite(GREETING).only(Kind.DUPLICATE)).verify();
  }

  @Test
  void aDefinitionThatStaysAway_isFollowed_alsoByANewProcess(CoxswainTest kit) {
    Scenario scenario =
        oneSite(GREETING)
            .whenAtRest(
                "the definition goes", k8s -> k8s.resource(Site.DEFINITIONS).delete(Site.DEFINED));

    kit.explore(scenario).verify();

    kit.install(Site.DEFINITION);
    kit.run(GREETING);
    kit.apply(Site.yaml("shop", 1, "hello"));
    kit.settle();
    kit.client().resource(Site.DEFINITIONS).delete(Site.DEFINED);
    kit.settle();
    kit.crash();
    kit.apply(Site.DEFINITION);
    kit.apply(Site.yaml("shop", 1, "back"));
    kit.settle();
    Optional<Site> site = kit.client().resource(Site.class).get(SHOP);
    assertThat(site.map(one -> one.status().phase())).contains("back");
  }

  @Test
  void apply_keepsWhatOthersHaveAdded_andTakesAwayWhatItAppliedItself(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    String form =
        """
        apiVersion: test.coxswain.dev/v1
        kind: Site
        metadata: {namespace: default, name: shop, labels: {%s}}
        spec: {%s}
        """;
    kit.apply(form.formatted("a: one, b: two", "replicas: 1, message: hello"));
    kit.client()
        .resource(Site.class)
        .modify(
            SHOP,
            site -> {
              site.getMetadata().putLabelsItem("team", "web");
              site.getMetadata().setFinalizers(List.of("test.coxswain.dev/kept"));
            });

    kit.apply(form.formatted("a: three", "replicas: 2"));

    Site site = kit.client().resource(Site.class).get(SHOP).orElseThrow();
    assertThat(site.getMetadata().getFinalizers()).containsExactly("test.coxswain.dev/kept");
    assertThat(site.getMetadata().getLabels())
        .containsEntry("a", "three")
        .containsEntry("team", "web")
        .doesNotContainKey("b");
    assertThat(site.spec()).isEqualTo(new Site.Spec(2, null));
  }
}
