// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.errorbackoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import org.junit.jupiter.api.Test;

class ErrorBackoffControllerTest extends ExampleTestSupport {

  private final Resource<Trial> trials = k8s.resource(Trial.class);

  private String phase(Request key) {
    return trials
        .get(key)
        .map(Trial::status)
        .map(status -> status.phase() + " " + status.message() + " " + status.observedGeneration())
        .orElse("none");
  }

  @Test
  void samples_areReadyOrFailForEver_asTheySay() throws Exception {
    install("error-backoff/crd-trials.yaml");
    install("error-backoff/samples.yaml");

    run(new ErrorBackoffController());

    Request hello = Request.of("default", "hello");
    await(() -> phase(hello), () -> phase(hello).equals("Ready hello 1"));
    await(() -> "failures", () -> failures() >= 9);
    assertThat(trials.list(ListOptions.ALL))
        .filteredOn(trial -> trial.spec().outcomeOrDone() == Trial.Outcome.Error)
        .hasSize(3)
        .allSatisfy(trial -> assertThat(trial.status()).isNull());
  }

  @Test
  void failingObject_recoversAtOnce_whenItIsToldTo() throws Exception {
    install("error-backoff/crd-trials.yaml");
    install("error-backoff/samples.yaml");
    run(new ErrorBackoffController());
    Request failing = Request.of("default", "always-fails-1");
    await(() -> "failures", () -> failures() >= 9);

    trials.modify(
        failing,
        trial -> trial.setSpec(new Trial.Spec(trial.spec().message(), Trial.Outcome.Done)));

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
              install("error-backoff/crd-trials.yaml");
            });

    run(new ErrorBackoffController());
    installer.join();
    install("error-backoff/samples.yaml");

    Request world = Request.of("default", "world");
    await(() -> phase(world), () -> phase(world).startsWith("Ready"));
  }
}
