// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test drives controllers, sees their queues, and breaks the server, without time passing. */
@ExtendWith(CoxswainExtension.class)
class CoxswainTestTest {

  private static final Request SHOP = Request.of("default", "shop");

  private static Site shop(CoxswainTest kit) {
    return kit.client().resource(Site.class).get(SHOP).orElseThrow();
  }

  private static void runSite(CoxswainTest kit, ControllerDefinition controller) {
    kit.install(Site.DEFINITION);
    kit.run(controller);
    kit.apply(Site.yaml("shop", 1, "hello"));
  }

  @Test
  void afterSettling_everythingThatFollowsIsDone(CoxswainTest kit) {
    runSite(kit, SeededBugs.statusOfWhatExists());

    kit.settle();

    assertThat(shop(kit).status().phase()).isEqualTo("Ready");
    assertThat(kit.elapsed()).isZero();
    assertThat(kit.timeline()).contains("site default/shop  (EVENT)");
  }

  @Test
  void theNextTest_beginsWithAnEmptyServer(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.apply(Site.yaml("other", 1, "hello"));

    assertThat(kit.client().resource(Site.class).list(ListOptions.ALL))
        .extracting(site -> Objects.requireNonNull(site.getMetadata().getName()))
        .containsExactly("other");
  }

  @Test
  void aFailedAttempt_isDelayed_andRetriedInVirtualTime(CoxswainTest kit) {
    runSite(kit, SeededBugs.statusOfWhatExists());
    kit.faults().failNext(1, 429, Duration.ofSeconds(20), uri -> uri.contains("configmaps"));

    kit.settle();

    assertThat(kit.queue("site").delayed()).isEqualTo(1);
    QueuedItem item = kit.items("site").getFirst();
    assertThat(item.phase()).isEqualTo(Phase.DELAYED);
    assertThat(item.failures()).isEqualTo(1);
    assertThat(item.lastError()).contains("429");
    kit.advance(Duration.ofSeconds(19));
    assertThat(shop(kit).status().phase()).isNull();
    kit.advance(Duration.ofSeconds(2));
    assertThat(shop(kit).status().phase()).isEqualTo("Ready");
    assertThat(kit.queue("site").total()).isZero();
  }

  /** Otherwise an object could be a second older or younger than the clock of its controller says. */
  @Test
  void objects_areStampedWithTheTimeOfTheTest(CoxswainTest kit) {
    OffsetDateTime first = createdNow(kit, "first");

    kit.advance(Duration.ofHours(1));

    assertThat(createdNow(kit, "second")).isEqualTo(first.plusHours(1));
  }

  private static OffsetDateTime createdNow(CoxswainTest kit, String name) {
    V1ConfigMap map =
        new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name));
    V1ObjectMeta stored =
        Objects.requireNonNull(kit.client().resource(V1ConfigMap.class).create(map).getMetadata());
    return Objects.requireNonNull(stored.getCreationTimestamp());
  }

  @Test
  void eventually_advancesTheTimeUntilTheConditionHolds(CoxswainTest kit) {
    runSite(kit, SeededBugs.statusOfWhatExists());
    kit.faults().failNext(3, 500, Duration.ZERO, uri -> uri.contains("configmaps"));

    String phase =
        kit.eventually("the site is ready", () -> shop(kit).status().phase(), "Ready"::equals);

    assertThat(phase).isEqualTo("Ready");
    assertThat(kit.elapsed()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
  }

  @Test
  void eventually_reportsWhatWasSeenLast(CoxswainTest kit) {
    runSite(kit, SeededBugs.statusOfWhatExists());

    assertThatThrownBy(() ->
            kit.eventually("the site is gone", () -> shop(kit).status().phase(), Objects::isNull))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("waited in vain until the site is gone")
        .hasMessageContaining("seen last: Ready")
        .hasMessageContaining("PATCH /apis/test.coxswain.dev/v1/namespaces/default/sites/shop");
  }

  @Test
  void afterACrash_anotherProcessGoesOn(CoxswainTest kit) {
    runSite(kit, SeededBugs.statusOfWhatExists());
    kit.settle();

    kit.crash();
    kit.client().resource(V1ConfigMap.class).delete(Request.of("default", "shop-volume"));
    kit.settle();

    assertThat(kit.client().resource(V1ConfigMap.class).get(Request.of("default", "shop-volume")))
        .isPresent();
    assertThat(kit.timeline()).contains("R2      process started");
  }

  @Test
  void afterAHandOver_theOtherProcessAloneWorks(CoxswainTest kit) {
    runSite(kit, SeededBugs.statusOfWhatExists());
    kit.settle();

    kit.handOver();
    kit.client().resource(V1ConfigMap.class).delete(Request.of("default", "shop-volume"));
    kit.settle();

    assertThat(kit.timeline().lines().filter(line -> line.contains("R1      attempt")))
        .allMatch(line -> kit.timeline().indexOf(line) < kit.timeline().indexOf("R2      process"));
    assertThat(kit.timeline())
        .contains("R2        POST /api/v1/namespaces/default/configmaps  201");
  }

  @Test
  void twoControllers_runInOneProcess(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    ControllerDefinition second =
        new SiteController() {
          @Override
          public String name() {
            return "second";
          }

          @Override
          void reconcile(Request request, Site site, Parts parts) {
            parts
                .writeSites()
                .modify(
                    request, s -> s.getMetadata().setLabels(java.util.Map.of("second", "true")));
          }
        };
    kit.run(SeededBugs.statusOfWhatExists(), second);
    kit.apply(Site.yaml("shop", 1, "hello"));

    kit.settle();

    assertThat(shop(kit).getMetadata().getLabels()).containsEntry("second", "true");
    assertThat(shop(kit).status().phase()).isEqualTo("Ready");
    assertThatThrownBy(() -> kit.queue("third")).hasMessageContaining("[site, second]");
  }
}
