// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.examples.trainingjob.JobStatus.Conditions;
import dev.coxswain.examples.trainingjob.TrainingJob.RestartPolicy;
import dev.coxswain.examples.trainingjob.TrainingJob.RunPolicy;
import dev.coxswain.reconcile.Request;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With caches that are behind, and with writes that fail, nothing is created or counted twice. */
class StaleCacheTest extends TrainingJobTestSupport {

  @Test
  void podsThatTheWatchHasNotDelivered_areNotCreatedAgain() {
    Request first = create("first", Map.of("worker", endless(1)), DEFAULT);
    awaitCondition(first, Conditions.RUNNING);
    server.faults().inject(Fault.silenceWatches().on(FaultFilter.resources("pods", "services")));
    long before = requests("POST", "/pods");

    Request key = create("unseen", Map.of("chief", endless(1), "worker", endless(2)), DEFAULT);
    await(() -> "" + podNames(), () -> podNames().size() == 4);
    for (int edit = 1; edit <= 5; edit++) {
      RunPolicy policy = new RunPolicy(null, 1000L + edit, edit, null);
      long attempts = attempts(); // before the change, whose attempt may be over at once
      jobs.modify(key, job -> job.setSpec(new TrainingJob.Spec(job.spec().replicas(), policy)));
      await(() -> "another attempt", () -> attempts() > attempts);
    }

    assertThat(requests("POST", "/pods") - before).as("requests to create Pods").isEqualTo(3);
    assertThat(failures()).isZero();
  }

  @Test
  void failureThatIsCountedButNotDeleted_isNotCountedAgain() {
    server
        .faults()
        .inject(Fault.fail(500).on(FaultFilter.verbs("delete").withResources("pods")).times(5));

    Request key =
        create(
            "counted",
            Map.of("worker", group(1, RestartPolicy.ExitCode, "50ms", "137,0")),
            DEFAULT);

    awaitCondition(key, Conditions.SUCCEEDED);
    assertThat(failures()).as("deletions that failed").isEqualTo(5);
    assertThat(status(key).restarts()).isEqualTo(1);
  }

  @Test
  void jobEndsAsItShould_whileAThirdOfAllWritesFails() {
    Request killed =
        create(
            "stormy",
            Map.of(
                "worker", group(3, RestartPolicy.ExitCode, "50ms", "137,137,0"), "ps", endless(2)),
            new RunPolicy(null, null, 10, null));
    server
        .faults()
        .inject(
            Fault.failShare(503, Duration.ZERO, 0.33, 20)
                .on(FaultFilter.verbs("create", "update", "patch", "delete")));

    awaitCondition(killed, Conditions.SUCCEEDED);
    await(() -> "" + podNames(), () -> podNames().size() == 3);
    assertThat(status(killed).restarts()).isEqualTo(6);
    assertThat(failures()).isPositive();
  }
}
