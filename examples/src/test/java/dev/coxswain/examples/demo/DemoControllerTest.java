// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import org.junit.jupiter.api.Test;

class DemoControllerTest extends ExampleTestSupport {

  private final Resource<Demo> demos = k8s.resource(Demo.class);

  private String phase(Request key) {
    return demos
        .get(key)
        .map(Demo::status)
        .map(status -> status.phase() + " " + status.message() + " " + status.observedGeneration())
        .orElse("none");
  }

  @Test
  void samples_areReadyOrFailForEver_asTheySay() throws Exception {
    install("demo/crd-demos.yaml");
    install("demo/samples.yaml");

    run(new DemoController());

    Request hello = Request.of("default", "hello");
    await(() -> phase(hello), () -> phase(hello).equals("Ready hello 1"));
    await(() -> "failures", () -> failures() >= 9);
    assertThat(demos.list(ListOptions.ALL))
        .filteredOn(demo -> demo.spec().fail())
        .hasSize(3)
        .allSatisfy(demo -> assertThat(demo.status()).isNull());
  }

  @Test
  void failingObject_recoversAtOnce_whenItIsToldTo() throws Exception {
    install("demo/crd-demos.yaml");
    install("demo/samples.yaml");
    run(new DemoController());
    Request failing = Request.of("default", "always-fails-1");
    await(() -> "failures", () -> failures() >= 9);

    demos.modify(failing, demo -> demo.setSpec(new Demo.Spec(demo.spec().message(), false)));

    await(() -> phase(failing), () -> phase(failing).equals("Ready the vendor is down 2"));
  }

  @Test
  void definitionThatIsInstalledLater_isWaitedFor() throws Exception {
    Thread installer =
        Thread.ofVirtual()
            .start(() -> {
              await(
                  () -> "" + k8s.caches(),
                  () ->
                      k8s.caches().stream()
                          .anyMatch(c -> c.phase() == CacheStatus.Phase.WAITING_FOR_API));
              install("demo/crd-demos.yaml");
            });

    run(new DemoController());
    installer.join();
    install("demo/samples.yaml");

    Request world = Request.of("default", "world");
    await(() -> phase(world), () -> phase(world).startsWith("Ready"));
  }
}
