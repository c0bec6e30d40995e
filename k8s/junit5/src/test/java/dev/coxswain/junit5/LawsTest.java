// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static dev.coxswain.junit5.SiteController.controller;
import static dev.coxswain.junit5.SiteController.oneSite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each law of an exploration is broken by a controller that breaks it, and the report names it. */
@ExtendWith(CoxswainExtension.class)
class LawsTest {

  private static void ready(Request request, Resource<Site> sites, String volume) {
    sites.modifyStatus(request, site -> site.setStatus(new Site.Status("Ready", volume)));
  }

  private static List<String> violations(ExplorationReport report) {
    List<String> all = new ArrayList<>();
    report.failures().forEach(failure -> all.addAll(failure.violations()));
    return all;
  }

  @Test
  void runsInParallel_findTheSame(CoxswainTest kit) {
    Scenario scenario = oneSite(SeededBugs.creationThatIsNotIdempotent());
    ExplorationReport one = kit.explore(scenario);

    ExplorationReport parallel = kit.explore(scenario.inParallel());

    assertThat(found(one)).isNotEmpty();
    assertThat(found(parallel)).isEqualTo(found(one));
    assertThat(parallel.runs()).isEqualTo(one.runs());
  }

  private static Map<String, List<String>> found(ExplorationReport report) {
    Map<String, List<String>> found = new TreeMap<>();
    report
        .failures()
        .forEach(failure -> found.put(failure.perturbation().toString(), failure.violations()));
    return found;
  }

  @Test
  void aWriteOfAFormerOwner_isFound_whenItPassesTheGuard(CoxswainTest kit) {
    ControllerDefinition unguarded =
        controller((request, _, parts) ->
            parts
                .k8s()
                .unbound()
                .resource(Site.class)
                .patchStatus(
                    request,
                    JsonParser.parseString("{\"status\": {\"phase\": \"Ready\"}}")
                        .getAsJsonObject()));

    ExplorationReport report = kit.explore(oneSite(unguarded).only(Kind.HAND_OVER));

    assertThat(violations(report))
        .isNotEmpty()
        .allMatch(one -> one.startsWith("write by a former owner: PATCH"));
    ControllerDefinition guarded =
        controller((request, _, parts) -> ready(request, parts.writeSites(), "none"));
    ExplorationReport passed = kit.explore(oneSite(guarded).only(Kind.HAND_OVER));
    passed.verify();
    assertThat(passed.total()).isEqualTo(1);
  }

  @Test
  void aStateThatNeverRests_isFoundInTheReference(CoxswainTest kit) {
    ControllerDefinition counting =
        controller((request, _, parts) ->
            parts
                .writeSites()
                .modify(
                    request, site -> site.setSpec(new Site.Spec(site.spec().replicas() + 1, ""))));
    assertThatThrownBy(() -> kit.explore(oneSite(counting)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the reference run breaks a law")
        .hasMessageContaining("busy loop");
  }

  @Test
  void tooManyWrites_areFound(CoxswainTest kit) {
    // When it finds its volume without the status, it rewrites the status many times.
    ControllerDefinition eager =
        controller((request, site, parts) -> {
          Request key = Request.of("default", "shop-volume");
          boolean late = parts.writeVolumes().get(key).isPresent();
          parts.makeVolume(site, key);
          if (site.status().phase() == null) {
            for (int i = 0; late && i < 30; i++) {
              ready(request, parts.writeSites(), "try " + i);
            }
            ready(request, parts.writeSites(), "shop-volume");
          }
        });

    ExplorationReport report = kit.explore(oneSite(eager).only(Kind.CRASH_AFTER));

    assertThat(violations(report)).anyMatch(one -> one.startsWith("too many writes: 3"));
  }

  @Test
  void aScenarioThatDiffersByItself_isRefused(CoxswainTest kit) {
    Random random = new Random(1);
    ControllerDefinition erratic =
        controller((request, site, parts) -> {
          if (site.status().phase() == null) {
            ready(request, parts.writeSites(), "v" + random.nextInt());
          }
        });

    assertThatThrownBy(() -> kit.explore(oneSite(erratic)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the scenario is not deterministic")
        .hasMessageContaining("status.volume is");
  }

  @Test
  void aFieldThatMayDiffer_isNotCompared(CoxswainTest kit) {
    AtomicInteger attempts = new AtomicInteger();
    ControllerDefinition counting =
        controller((request, site, parts) -> {
          if (site.status().phase() == null) {
            ready(request, parts.writeSites(), "attempt " + attempts.incrementAndGet());
          }
        });
    Scenario scenario = oneSite(counting).mayDiffer("Site", "status.volume");

    kit.explore(scenario.only(Kind.DUPLICATE, Kind.SERVER_ERROR)).verify();
  }

  @Test
  void aLostEditOfAUser_isNoFailure_andItsAnnotationIsNotCompared(CoxswainTest kit) {
    ControllerDefinition patient =
        controller((request, _, parts) -> ready(request, parts.writeSites(), "none"));

    ExplorationReport report = kit.explore(oneSite(patient).only(Kind.USER_EDIT));

    assertThat(report.total()).isEqualTo(1);
    report.verify();
  }

  @Test
  void aProcessWithStaleCaches_seesWhatFollows_howeverLateItsWatchesOpen(CoxswainTest kit) {
    ControllerDefinition greeting =
        controller((request, site, parts) -> {
          kit.faults().inject(Fault.latency(Duration.ofMillis(100)).on(FaultFilter.verbs("watch")));
          String message = site.spec().message();
          if (!Objects.equals(message, site.status().phase())) {
            parts
                .writeSites()
                .modifyStatus(request, now -> now.setStatus(new Site.Status(message, null)));
          }
        });

    ExplorationReport report =
        kit.explore(
            oneSite(greeting)
                .apply("its message changes", Site.yaml("shop", 1, "bye"))
                .only(Kind.STALE_RESTART));

    assertThat(report.total()).isPositive();
    report.verify();
  }

  @Test
  void aCode_isReadAsItIsWritten() {
    for (Kind kind : Kind.values()) {
      Perturbation one = new Perturbation(kind, 7, kind == Kind.LAG ? 3 : 0);
      assertThat(Perturbation.parse(one.code())).isEqualTo(one);
    }
    assertThatThrownBy(() -> Perturbation.parse("crash")).hasMessageContaining("crash-after:3");
  }
}
