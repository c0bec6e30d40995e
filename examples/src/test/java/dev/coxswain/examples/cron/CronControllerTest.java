// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.examples.cron.CronTask.ConcurrencyPolicy;
import dev.coxswain.examples.podsimulator.PodSimulatorController;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CronControllerTest extends ExampleTestSupport {

  private final Resource<CronTask> tasks = k8s.resource(CronTask.class);
  private final Resource<V1Pod> pods = k8s.resource(V1Pod.class);

  @BeforeEach
  void installTypes() throws Exception {
    install("cron/crd-crontasks.yaml");
    run(new PodSimulatorController());
  }

  private Request create(String name, CronTask.Spec spec) {
    CronTask task = new CronTask();
    task.setMetadata(new V1ObjectMeta().namespace("default").name(name));
    task.setSpec(spec);
    tasks.create(task);
    return Request.of("default", name);
  }

  /** A spec whose Pods run for a time and end with an exit code. */
  private static CronTask.Spec spec(
      String every, @Nullable ConcurrencyPolicy policy, String run, String exitCodes) {
    V1PodTemplateSpec template =
        new V1PodTemplateSpec()
            .metadata(
                new V1ObjectMeta()
                    .labels(Map.of("simulator.coxswain.dev/enabled", "true"))
                    .annotations(
                        Map.of(
                            "simulator.coxswain.dev/run", run,
                            "simulator.coxswain.dev/exit-codes", exitCodes)))
            .spec(
                new V1PodSpec()
                    .restartPolicy("Never")
                    .addContainersItem(new V1Container().name("run").image("busybox:stable")));
    return new CronTask.Spec(every, null, false, null, policy, null, null, template);
  }

  private CronTask.Status status(Request key) {
    return tasks.get(key).orElseThrow().status();
  }

  private List<V1Pod> runs(Request key) {
    return pods.list(ListOptions.ALL.labels(CronRuns.TASK + "=" + key.name()));
  }

  private List<String> names(Request key) {
    return runs(key).stream().map(pod -> pods.key(pod).name()).sorted().toList();
  }

  /** Returns how many runs have one of these phases, of one list. */
  private long phases(Request key, String... phases) {
    return runs(key).stream()
        .map(pod -> Objects.requireNonNull(pod.getStatus()).getPhase())
        .filter(List.of(phases)::contains)
        .count();
  }

  @Test
  void intervalTask_startsAPodForEachDueTime() throws Exception {
    run(new CronController());
    Request key = create("often", spec("1s", null, "50ms", "0"));

    await(() -> "" + status(key), () -> status(key).runs() >= 3);
    await(() -> "" + status(key), () -> status(key).lastSuccessfulTime() != null);

    CronTask.Status status = status(key);
    assertThat(
            Duration.between(
                Instant.parse(Objects.requireNonNull(status.lastScheduleTime())),
                Instant.parse(Objects.requireNonNull(status.nextRun()))))
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(failures()).isZero();
  }

  @Test
  void cronTask_saysWhenItIsDue_andDoesNotRunBefore() throws Exception {
    run(new CronController());
    Request key = create("yearly", new CronTask.Spec(null, "0 0 29 2 *", false));

    await(() -> "" + status(key), () -> status(key).nextRun() != null);

    assertThat(status(key).nextRun()).endsWith("-02-29T00:00:00Z");
    assertThat(status(key).runs()).isZero();
    assertThat(runs(key)).isEmpty();
  }

  @Test
  void runsMissedWhileTheHostWasDown_areOneRun_andCounted() throws Exception {
    Request key = create("behind", spec("10m", null, "50ms", "0"));
    Instant last = Instant.now().minus(Duration.ofMinutes(65));
    setLast(key, last);

    run(new CronController());

    await(() -> "" + status(key), () -> status(key).runs() == 1);
    assertThat(status(key).missed()).isEqualTo(5);
    assertThat(status(key).lastScheduleTime())
        .isEqualTo(last.plus(Duration.ofMinutes(60)).toString());
    assertThat(runs(key)).hasSize(1);
  }

  @Test
  void runThatIsTooLate_isDropped_andCounted() throws Exception {
    CronTask.Spec base = spec("10m", null, "50ms", "0");
    Request key =
        create(
            "late", new CronTask.Spec("10m", null, false, 60L, null, null, null, base.template()));
    Instant last = Instant.now().minus(Duration.ofMinutes(65));
    setLast(key, last);

    run(new CronController());

    await(() -> "" + status(key), () -> status(key).missed() == 6);
    assertThat(status(key).runs()).isZero();
    assertThat(status(key).nextRun()).isEqualTo(last.plus(Duration.ofMinutes(70)).toString());
    assertThat(runs(key)).isEmpty();
  }

  /** With Replace it was deleted as the run before, and its name was taken when it was to start. */
  @Test
  void aRunWhoseStatusWasNotStored_isNotReplacedByItself() throws Exception {
    Request key = create("stored", spec("10m", ConcurrencyPolicy.Replace, "1h", "0"));
    Instant last = Instant.now().minus(Duration.ofMinutes(15));
    setLast(key, last);
    run(new CronController());
    await(() -> "" + status(key), () -> status(key).runs() == 1 && phases(key, "Running") == 1);
    String started = Objects.requireNonNull(runs(key).getFirst().getMetadata()).getUid();

    setLast(key, last);
    tasks.modify(key, task -> task.setSpec(spec("10m", ConcurrencyPolicy.Replace, "2h", "0")));

    await(() -> "" + status(key), () -> status(key).runs() == 1);
    assertThat(runs(key))
        .singleElement()
        .satisfies(pod -> {
          V1ObjectMeta metadata = Objects.requireNonNull(pod.getMetadata());
          assertThat(metadata.getUid()).isEqualTo(started);
          assertThat(metadata.getDeletionTimestamp()).isNull();
        });
  }

  private void setLast(Request key, Instant last) {
    tasks.modifyStatus(
        key,
        task ->
            task.setStatus(
                new CronTask.Status(last.toString(), null, null, 0, 0, List.of(), null, null)));
  }

  @Test
  void allow_letsRunsOverlap() throws Exception {
    run(new CronController());
    Request key = create("overlap", spec("1s", ConcurrencyPolicy.Allow, "1h", "0"));

    await(
        () -> "" + status(key),
        () -> status(key).active().size() >= 3 && phases(key, "Running") >= 2);
  }

  @Test
  void forbid_waitsForTheActiveRun_andStartsTheLatestDueOneWhenItEnds() throws Exception {
    run(new CronController());
    Request key = create("single", spec("1s", ConcurrencyPolicy.Forbid, "2500ms", "0"));

    await(
        () -> "" + status(key),
        () -> {
          assertThat(phases(key, "Running", "Pending")).isLessThanOrEqualTo(1);
          return status(key).runs() >= 3;
        });

    assertThat(status(key).missed()).as("due while another one ran").isPositive();
  }

  @Test
  void replace_deletesTheActiveRun() throws Exception {
    run(new CronController());
    Request key = create("latest", spec("1s", ConcurrencyPolicy.Replace, "1h", "0"));

    await(() -> "" + status(key), () -> status(key).runs() >= 3);

    assertThat(names(key)).hasSizeLessThanOrEqualTo(1);
    assertThat(status(key).active()).hasSize(1);
  }

  @Test
  void history_isLimited_forEachKindOfEnd() throws Exception {
    run(new CronController());
    Request good = create("good", spec("1s", null, "10ms", "0"));
    Request bad = create("bad", spec("1s", null, "10ms", "1"));

    await(
        () -> status(good) + " " + status(bad),
        () -> status(good).runs() >= 6 && status(bad).runs() >= 6);

    // The one that has just ended is deleted by the attempt that its end leads to.
    await(() -> "" + names(good), () -> phases(good, "Succeeded") == 3);
    await(() -> "" + names(bad), () -> phases(bad, "Failed") == 1);
    assertThat(status(bad).lastSuccessfulTime()).isNull();
  }

  @Test
  void suspendedTask_startsNothing_untilItIsResumed() throws Exception {
    run(new CronController());
    CronTask.Spec base = spec("1s", null, "50ms", "0");
    Request key =
        create(
            "asleep", new CronTask.Spec("1s", null, true, null, null, null, null, base.template()));
    Request other = create("awake", base);
    await(() -> "" + status(other), () -> status(other).runs() >= 2);
    assertThat(status(key).runs()).isZero();
    assertThat(runs(key)).isEmpty();

    tasks.modify(key, task -> task.setSpec(base));

    await(() -> "" + status(key), () -> status(key).runs() >= 1);
  }

  @Test
  void badSchedule_isReportedAndNotTriedAgain_untilItIsEdited() throws Exception {
    run(new CronController());
    Request key = create("bad", new CronTask.Spec(null, "every day", false));
    await(() -> "" + status(key), () -> status(key).problem() != null);
    assertThat(status(key).problem()).contains("\"every day\"");
    // The telemetry receives the failure first, and then that it is terminal.
    await(() -> failures() + " failures that are retried", () -> failures() == 0);

    tasks.modify(key, task -> task.setSpec(new CronTask.Spec("1h", null, false)));

    await(() -> "" + status(key), () -> status(key).runs() == 1);
    assertThat(status(key).problem()).isNull();
  }

  @Test
  void templateWithoutContainers_isReportedAndNotTriedAgain() throws Exception {
    run(new CronController());
    Request key =
        create(
            "empty",
            new CronTask.Spec("1h", null, false, null, null, null, null, new V1PodTemplateSpec()));

    await(() -> "" + status(key), () -> status(key).problem() != null);

    assertThat(status(key).problem())
        .isEqualTo("spec.template.spec.containers is empty: add a container");
    await(() -> failures() + " failures that are retried", () -> failures() == 0);
    assertThat(runs(key)).isEmpty();
  }
}
