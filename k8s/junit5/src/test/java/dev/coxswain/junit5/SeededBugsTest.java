// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Exploration finds each of three classical bugs, and nothing in the corrected controllers. */
@ExtendWith(CoxswainExtension.class)
class SeededBugsTest {

  private static final Request VOLUME = Request.of("default", "shop-volume");

  private static Scenario oneSite(ControllerDefinition controller) {
    return Scenario.of(controller)
        .install(Site.DEFINITION)
        .apply("a site is created", Site.yaml("shop", 1, "hello"));
  }

  /** A site that was without replicas for a while, and whose users have stored something since. */
  private static Scenario storedAgain(ControllerDefinition controller) {
    return oneSite(controller)
        .apply("the site has no replicas", Site.yaml("shop", 0, "hello"))
        .apply("the site has a replica again", Site.yaml("shop", 1, "hello"))
        .whenAtRest(
            "users store an order",
            k8s ->
                k8s.resource(V1ConfigMap.class)
                    .modify(VOLUME, volume -> volume.setData(Map.of("order", "1"))))
        .apply("the message changes", Site.yaml("shop", 1, "welcome"));
  }

  private static Set<Perturbation.Kind> kinds(ExplorationReport report) {
    return report.failures().stream()
        .map(failure -> failure.perturbation().kind())
        .collect(Collectors.toSet());
  }

  private static ExplorationReport printed(String what, ExplorationReport report) {
    System.out.println("== " + what + "\n" + report.text());
    return report;
  }

  @Test
  void creationThatIsNotIdempotent_isFound_andItsCorrectionPasses(CoxswainTest kit) {
    ExplorationReport report =
        printed(
            "creation that is not idempotent",
            kit.explore(oneSite(SeededBugs.creationThatIsNotIdempotent())));

    assertThat(kinds(report)).contains(Perturbation.Kind.CRASH_AFTER);
    assertThat(report.failures().getFirst().violations())
        .anyMatch(one -> one.startsWith("leaked: ConfigMap default/shop-*"));
    printed("idempotent creation", kit.explore(oneSite(SeededBugs.idempotentCreation()))).verify();
  }

  @Test
  void deletionOnAStaleCache_isFound_andItsCorrectionPasses(CoxswainTest kit) {
    ExplorationReport report =
        printed(
            "deletion on a stale cache",
            kit.explore(storedAgain(SeededBugs.deletionOnAStaleCache())));

    assertThat(kinds(report)).contains(Perturbation.Kind.STALE_RESTART);
    assertThat(report.failures().getFirst().violations())
        .anyMatch(one -> one.contains("ConfigMap default/shop-volume data is absent"));
    printed(
            "deletion of what was seen",
            kit.explore(
                storedAgain(SeededBugs.deletionOfWhatWasSeen())
                    .atMost(TestLength.of(60, Integer.MAX_VALUE))))
        .verify();
  }

  @Test
  void statusLostOnCrash_isFound_andItsCorrectionPasses(CoxswainTest kit) {
    ExplorationReport report =
        printed("status lost on crash", kit.explore(oneSite(SeededBugs.statusLostOnCrash())));

    assertThat(kinds(report)).contains(Perturbation.Kind.CRASH_AFTER);
    assertThat(report.failures().getFirst().violations())
        .anyMatch(one -> one.startsWith("different: Site default/shop status is absent"));
    printed("status of what exists", kit.explore(oneSite(SeededBugs.statusOfWhatExists())))
        .verify();
  }

  @Test
  void aReplay_failsWithTheReportOfThatRun(CoxswainTest kit) {
    Scenario scenario = oneSite(SeededBugs.statusLostOnCrash());
    String code =
        kit.explore(scenario.only(Perturbation.Kind.CRASH_AFTER))
            .failures()
            .getFirst()
            .perturbation()
            .code();

    org.assertj.core.api.Assertions.assertThatThrownBy(() -> kit.replay(scenario, code))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("explored 1 perturbations, 1 failure")
        .hasMessageContaining(code);
    kit.replay(scenario, "duplicate:1");
  }
}
