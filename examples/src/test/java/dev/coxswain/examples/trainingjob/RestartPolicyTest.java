// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.trainingjob.JobStatus.Conditions;
import dev.coxswain.examples.trainingjob.TrainingJob.RestartPolicy;
import dev.coxswain.examples.trainingjob.TrainingJob.RunPolicy;
import dev.coxswain.reconcile.Request;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a failed Pod or container leads to. */
class RestartPolicyTest extends TrainingJobTestSupport {

  private Request worker(String name, RestartPolicy policy, String codes, RunPolicy limits) {
    return create(name, Map.of("worker", group(1, policy, "50ms", codes)), limits);
  }

  private static RunPolicy backoffLimit(int restarts) {
    return new RunPolicy(null, null, restarts, null);
  }

  @Test
  void never_failsTheJobWithTheFirstFailure() {
    Request key = worker("never", RestartPolicy.Never, "137,0", DEFAULT);

    awaitCondition(key, Conditions.FAILED);

    assertThat(reason(key, Conditions.FAILED)).isEqualTo("PodFailed");
    assertThat(status(key).restarts()).isZero();
  }

  @Test
  void exitCodeOfTheProgram_failsTheJob() {
    Request key = worker("permanent", RestartPolicy.ExitCode, "1", DEFAULT);

    awaitCondition(key, Conditions.FAILED);

    assertThat(status(key).condition(Conditions.FAILED).orElseThrow().message())
        .isEqualTo("permanent-worker-0 failed with exit code 1");
    assertThat(reason(key, Conditions.FAILED)).isEqualTo("PermanentExitCode");
  }

  @Test
  void exitCodeOfASignal_replacesThePod_andCountsEachFailureOnce() {
    Request key = worker("killed", RestartPolicy.ExitCode, "137,143,0", DEFAULT);

    awaitCondition(key, Conditions.SUCCEEDED);

    assertThat(status(key).restarts()).isEqualTo(2);
    assertThat(Objects.requireNonNull(status(key).failures().get("killed-worker-0")).count())
        .isEqualTo(2);
    assertThat(status(key).condition(Conditions.RESTARTING).orElseThrow().status())
        .isEqualTo("False");
  }

  @Test
  void onFailure_restartsTheContainerInItsPod() {
    Request key = worker("inplace", RestartPolicy.OnFailure, "1,1,0", DEFAULT);
    await(() -> "a pod", () -> uid("inplace-worker-0").isPresent());
    String first = uid("inplace-worker-0").orElseThrow();

    awaitCondition(key, Conditions.SUCCEEDED);

    assertThat(uid("inplace-worker-0")).contains(first);
    assertThat(status(key).restarts()).isEqualTo(2);
    assertThat(status(key).failures()).isEmpty();
  }

  @Test
  void always_restartsAlsoWhatSucceeded_untilTheBackoffLimit() {
    Request key = worker("always", RestartPolicy.Always, "0", backoffLimit(2));

    awaitCondition(key, Conditions.FAILED);

    assertThat(reason(key, Conditions.FAILED)).isEqualTo("BackoffLimitExceeded");
    // The container restarts on its own: on a busy machine several times between two attempts.
    assertThat(status(key).restarts()).isGreaterThan(2);
  }

  @Test
  void restartsOfContainers_upToTheLimit_leaveTheJobRunning() {
    Request key = create("counted", Map.of("worker", endless(1)), backoffLimit(2));
    awaitCondition(key, Conditions.RUNNING);

    containerRestarted("counted-worker-0", 2);
    await(() -> "" + status(key), () -> status(key).restarts() == 2);
    assertThat(status(key).is(Conditions.FAILED)).isFalse();

    containerRestarted("counted-worker-0", 3);
    awaitCondition(key, Conditions.FAILED);
    assertThat(reason(key, Conditions.FAILED)).isEqualTo("BackoffLimitExceeded");
    assertThat(status(key).restarts()).isEqualTo(3);
  }

  /** Does what a kubelet does; the simulator leaves a container alone that runs for ever. */
  private void containerRestarted(String pod, int times) {
    pods.modifyStatus(
        Request.of("default", pod),
        stored ->
            Objects.requireNonNull(
                    Objects.requireNonNull(stored.getStatus()).getContainerStatuses())
                .getFirst()
                .setRestartCount(times));
  }

  @Test
  void replacedPods_areLimitedToo() {
    Request key = worker("limited", RestartPolicy.ExitCode, "137", backoffLimit(2));

    awaitCondition(key, Conditions.FAILED);

    assertThat(reason(key, Conditions.FAILED)).isEqualTo("BackoffLimitExceeded");
    assertThat(status(key).restarts()).isEqualTo(3);
    assertThat(requests("DELETE", "/pods/limited-worker-0")).isEqualTo(2);
  }

  @Test
  void transitionTimes_changeOnlyWhenTheStatusDoes() {
    Request key = create("steady", Map.of("chief", endless(1), "worker", endless(2)), DEFAULT);
    awaitCondition(key, Conditions.RUNNING);
    List<String> before = transitions(key);

    jobs.modify(
        key,
        job ->
            job.setSpec(
                new TrainingJob.Spec(Map.of("chief", endless(1), "worker", endless(3)), DEFAULT)));
    await(
        () -> "" + status(key),
        () -> {
          var workers = status(key).replicas().get("worker");
          return workers != null && workers.active() == 3;
        });

    assertThat(transitions(key)).isEqualTo(before);
  }

  private List<String> transitions(Request key) {
    return status(key).conditions().stream()
        .map(one -> one.type() + " " + one.status() + " " + one.lastTransitionTime())
        .toList();
  }
}
