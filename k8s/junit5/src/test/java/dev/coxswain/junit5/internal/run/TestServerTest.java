// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The time of runs, and of the server between them. */
class TestServerTest {

  /** A controller with a calendar would differ from run to run otherwise. */
  @Test
  void allRuns_onAllServersOfAnExploration_beginAtTheSameTime() {
    try (TestServer first = new TestServer();
        TestServer second = first.another()) {
      Instant begin = first.begin();
      for (TestServer server : new TestServer[] {first, first, second}) {
        try (RunDriver run = new RunDriver(server, new RunPolicy())) {
          assertThat(run.time().instant()).isEqualTo(begin);
          run.advance(Duration.ofDays(30));
        }
      }
    }
  }

  @Test
  void afterARun_theServerIsInThePresent() {
    try (TestServer server = new TestServer();
        Kubernetes kubernetes = Kubernetes.at(server.api().url(), KubernetesOptions.DEFAULT)) {
      try (RunDriver run = new RunDriver(server, new RunPolicy())) {
        run.advance(Duration.ofDays(30));
      }
      V1ObjectMeta stored =
          Objects.requireNonNull(
              kubernetes
                  .resource(V1Namespace.class)
                  .create(new V1Namespace().metadata(new V1ObjectMeta().name("later")))
                  .getMetadata());
      assertThat(Objects.requireNonNull(stored.getCreationTimestamp()).toInstant())
          .isBefore(server.begin().plus(Duration.ofDays(1)));
    }
  }
}
