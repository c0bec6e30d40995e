// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConfigMirrorControllerTest extends ExampleTestSupport {

  private static final Request SOURCE = Request.of("default", "company-banner");
  private static final Request COPY_A = Request.of("team-a", "company-banner");
  private static final Request COPY_B = Request.of("team-b", "company-banner");

  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);

  @BeforeEach
  void mirrorTheSample() throws Exception {
    install("config-mirror/samples.yaml");
    run(new ConfigMirrorController());
    awaitBanner(COPY_A, "Welcome aboard.");
    awaitBanner(COPY_B, "Welcome aboard.");
  }

  private String banner(Request key) {
    return maps.get(key)
        .map(map -> Mirrors.orEmpty(map.getData()).getOrDefault("banner", "?"))
        .orElse("none");
  }

  private void awaitBanner(Request key, String expected) {
    await(
        () -> expected + " in " + key + " but it is " + banner(key),
        () -> banner(key).equals(expected));
  }

  private void patch(Request key, String json) {
    maps.patch(key, JsonParser.parseString(json).getAsJsonObject());
  }

  @Test
  void copies_nameTheirSource_andTheSourceHasAFinalizer() {
    assertThat(Mirrors.sourceOf(maps.get(COPY_A).orElseThrow())).contains(SOURCE);
    assertThat(Finalizers.has(maps.get(SOURCE).orElseThrow(), Mirrors.FINALIZER)).isTrue();
  }

  @Test
  void changedSource_changesItsCopies() {
    patch(SOURCE, "{\"data\":{\"banner\":\"Ahoy.\"}}");

    awaitBanner(COPY_A, "Ahoy.");
    awaitBanner(COPY_B, "Ahoy.");
  }

  @Test
  void copyThatSomebodyEdits_isRepaired() {
    patch(COPY_A, "{\"data\":{\"banner\":\"Graffiti\",\"more\":\"x\"}}");

    awaitBanner(COPY_A, "Welcome aboard.");
    await(
        () -> "the other entry to go",
        () -> !Mirrors.orEmpty(maps.get(COPY_A).orElseThrow().getData()).containsKey("more"));
  }

  @Test
  void copyThatSomebodyDeletes_isMadeAgain() {
    maps.delete(COPY_B);

    awaitBanner(COPY_B, "Welcome aboard.");
  }

  @Test
  void namespaceTakenOffTheTargets_losesItsCopy_theOthersKeepTheirs() {
    patch(SOURCE, "{\"metadata\":{\"annotations\":{\"mirror.coxswain.dev/targets\":\"team-b\"}}}");

    awaitBanner(COPY_A, "none");
    assertThat(banner(COPY_B)).isEqualTo("Welcome aboard.");
  }

  /** The targets after a missing namespace got no copies for as long as it was missing. */
  @Test
  void namespaceThatIsNotThere_holdsUpNoOtherTarget() {
    patch(
        SOURCE,
        "{\"metadata\":{\"annotations\":{\"mirror.coxswain.dev/targets\":"
            + "\"absent, team-a, nowhere, team-b\"}},\"data\":{\"banner\":\"Ahoy.\"}}");

    awaitBanner(COPY_A, "Ahoy.");
    awaitBanner(COPY_B, "Ahoy.");
  }

  @Test
  void deletedSource_isGoneOnlyAfterItsCopies() {
    maps.delete(SOURCE);

    await(() -> "the source to go", () -> maps.get(SOURCE).isEmpty());
    awaitBanner(COPY_A, "none");
    awaitBanner(COPY_B, "none");
  }

  @Test
  void sourceThatLosesItsLabel_losesItsCopiesAndItsFinalizer_andStays() {
    patch(SOURCE, "{\"metadata\":{\"labels\":{\"mirror.coxswain.dev/enabled\":null}}}");

    awaitBanner(COPY_A, "none");
    awaitBanner(COPY_B, "none");
    await(
        () -> "the finalizer to go",
        () -> !Finalizers.has(maps.get(SOURCE).orElseThrow(), Mirrors.FINALIZER));
    assertThat(banner(SOURCE)).isEqualTo("Welcome aboard.");
  }

  @Test
  void configMapOfSomebodyElse_isLeftAlone_andTheSourceFails() {
    maps.create(
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("team-a").name("theirs"))
            .data(Map.of("banner", "ours")));
    maps.create(
        new V1ConfigMap()
            .metadata(
                new V1ObjectMeta()
                    .namespace("default")
                    .name("theirs")
                    .labels(Map.of(Mirrors.ENABLED, "true"))
                    .annotations(Map.of(Mirrors.TARGETS, "team-a")))
            .data(Map.of("banner", "new")));

    await(() -> "failures", () -> failures() >= 3);

    assertThat(banner(Request.of("team-a", "theirs"))).isEqualTo("ours");
  }
}
