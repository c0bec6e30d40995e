// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;

/** What {@link GroundTest} runs on each ground; its name keeps it out of the build. */
@ExtendWith(CoxswainExtension.class)
class SameOnEachGround {

  private static final Request SITE = Request.of("site-tests", "shop");
  private static final Request VOLUME = Request.of("site-tests", "shop-volume");
  private static final String FINALIZER = "test.coxswain.dev/volume";

  static String site(String namespace) {
    return """
    apiVersion: test.coxswain.dev/v1
    kind: Site
    metadata: {namespace: %s, name: shop}
    spec: {replicas: 1, message: hello}
    """
        .formatted(namespace);
  }

  /** Makes a volume for each site, looks after an hour, and removes the volume at the end. */
  private static class Sites implements ControllerDefinition {
    @Override
    public String name() {
      return "site";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      SiteController.Parts parts = SiteController.Parts.of(environment.get(Kubernetes.class));
      Resource<Site> write = parts.writeSites();
      Resource<V1ConfigMap> maps = parts.writeVolumes();
      return Controller.named(name())
          .watches(parts.sites())
          .watches(parts.volumes())
          .reconciles((request, context) -> {
            Site site = parts.sites().get(request).orElse(null);
            if (site == null) {
              return Result.done();
            }
            Request volume = Request.of(request.namespace(), request.name() + "-volume");
            if (Finalizers.isDeleting(site)) {
              maps.delete(volume);
              Finalizers.remove(write, site, FINALIZER);
              return Result.done();
            }
            Finalizers.add(write, request, FINALIZER);
            if (mayFail() && context.failures() == 0) {
              throw new IOException("not yet");
            }
            if (parts.volumes().get(volume).isEmpty()) {
              maps.create(parts.volume(site, new V1ObjectMeta().name(volume.name())));
            }
            write.modifyStatus(
                request, one -> one.setStatus(new Site.Status("Ready", volume.name())));
            return Result.requeueAfter(Duration.ofHours(1));
          });
    }

    boolean mayFail() {
      return false;
    }
  }

  private static final class FailingSites extends Sites {
    @Override
    boolean mayFail() {
      return true;
    }
  }

  private static final class CheckedSites extends Sites implements WebhookDefinition {
    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      webhooks.validating(Site.class, _ -> AdmissionResponse.denied("no sites today"));
    }
  }

  private static void begin(CoxswainTest kit, ControllerDefinition controller) {
    kit.install(Site.DEFINITION);
    kit.run(controller);
    kit.apply(site("site-tests"));
  }

  private static @Nullable String phase(CoxswainTest kit) {
    return kit.client().resource(Site.class).get(SITE).map(one -> one.status().phase()).orElse("");
  }

  @Test
  void afterSettling_everythingThatFollowsIsDone(CoxswainTest kit) {
    begin(kit, new Sites());
    kit.settle();
    assertThat(phase(kit)).isEqualTo("Ready");
    assertThat(kit.queue("site").delayed()).as("until it looks again").isEqualTo(1);
    assertThat(kit.timeline()).contains("site site-tests/shop  (EVENT)");

    kit.client().resource(V1ConfigMap.class).delete(VOLUME);
    kit.settle();
    assertThat(kit.client().resource(V1ConfigMap.class).get(VOLUME)).isPresent();
  }

  @Test
  void aTest_beginsWithoutTheObjectsOfOthers(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    assertThat(kit.client().resource(Site.class).list(ListOptions.ALL)).isEmpty();
    assertThat(kit.client().resource(V1ConfigMap.class).get(VOLUME)).isEmpty();
  }

  @Test
  void afterAFailure_aRetryFollows(CoxswainTest kit) {
    begin(kit, new FailingSites());
    kit.eventually("the site is ready", () -> phase(kit), "Ready"::equals);
    assertThat(kit.timeline()).contains("failed: IOException: not yet");
  }

  @Test
  void aFinalizer_isServed(CoxswainTest kit) {
    begin(kit, new Sites());
    kit.settle();
    kit.client().resource(Site.class).delete(SITE);
    kit.eventually(
        "the site is gone", () -> kit.client().resource(Site.class).get(SITE), Optional::isEmpty);
    assertThat(kit.client().resource(V1ConfigMap.class).get(VOLUME)).isEmpty();
  }

  @Test
  void aShortTime_passes(CoxswainTest kit) {
    begin(kit, new Sites());
    Duration before = kit.elapsed();
    kit.advance(Duration.ofMillis(300));
    assertThat(kit.elapsed().minus(before)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    assertThat(phase(kit)).isEqualTo("Ready");
  }

  @Test
  void afterACrash_anotherProcessGoesOn(CoxswainTest kit) {
    begin(kit, new Sites());
    kit.settle();
    kit.crash();
    kit.client().resource(V1ConfigMap.class).delete(VOLUME);
    kit.settle();
    assertThat(kit.client().resource(V1ConfigMap.class).get(VOLUME)).isPresent();
    assertThat(kit.timeline()).contains("R2      process started");
  }

  @Test
  void aRefusedObject_isNamed(CoxswainTest kit) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> kit.apply("{apiVersion: v1, kind: Nothing, metadata: {name: a}}"));
    assertThat(refused).hasMessageContaining("Nothing");
  }

  // What some grounds cannot do.

  @Test
  void aLongTime_passes(CoxswainTest kit) {
    begin(kit, new Sites());
    kit.advance(Duration.ofHours(2));
    assertThat(kit.timeline()).contains("(REQUEUE_AFTER)");
  }

  @Test
  void anotherProcess_takesOver(CoxswainTest kit) {
    begin(kit, new Sites());
    kit.handOver();
  }

  @Test
  void anExploration_findsNothing(CoxswainTest kit) {
    kit.explore(
            Scenario.of(new Sites())
                .install(Site.DEFINITION)
                .apply("a site", site("site-tests"))
                .atMost(3))
        .verify();
  }

  /** The failure of this assertion must not be the result where there is no exploration. */
  @Test
  void anExploration_thatMustFail(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(SeededBugs.statusOfWhatExists())
            .install(Site.DEFINITION)
            .then(
                "fails",
                _ -> {
                  throw new AssertionError("as it must");
                });
    assertThrows(AssertionError.class, () -> kit.explore(scenario).verify());
  }

  /** A test that catches everything must not pass where it did nothing. */
  @Test
  void anExploration_whoseResultIsLost(CoxswainTest kit) {
    try {
      kit.replay(Scenario.of(new Sites()).install(Site.DEFINITION), "crash-after:1");
    } catch (TestAbortedException | AssertionError e) {
      Objects.requireNonNull(e.getMessage());
    }
  }

  @Test
  void aFault_isInjected(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new Sites());
    kit.faults().failNext(1, 500, Duration.ZERO, uri -> uri.contains("configmaps"));
    kit.apply(site("site-tests"));
    kit.eventually("the site is ready", () -> phase(kit), "Ready"::equals);
    assertThat(kit.timeline()).contains("failed: ApiStatusException");
  }

  @Test
  void aWebhook_denies(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new CheckedSites());
    IllegalArgumentException denied =
        assertThrows(IllegalArgumentException.class, () -> kit.apply(site("site-tests")));
    assertThat(denied).hasMessageContaining("no sites today");
  }

  @Test
  void aNamespaceOfOthers_isUsed(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new Sites());
    kit.apply(site("default"));
    kit.settle();
  }

  @Test
  void aClient_usesANamespaceOfOthers(CoxswainTest kit) {
    kit.client()
        .resource(V1ConfigMap.class)
        .create(
            new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("of-a-test")));
  }
}
