// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CronControllerTest extends ExampleTestSupport {

  private final Resource<CronTask> tasks = k8s.resource(CronTask.class);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);

  @BeforeEach
  void runController() throws Exception {
    install("cron/crd-crontasks.yaml");
    run(new CronController());
  }

  private Request create(String name, CronTask.Spec spec) {
    CronTask task = new CronTask();
    task.setMetadata(new V1ObjectMeta().namespace("default").name(name));
    task.setSpec(spec);
    tasks.create(task);
    return Request.of("default", name);
  }

  private CronTask.Status status(Request key) {
    return tasks.get(key).orElseThrow().status();
  }

  @Test
  void intervalTask_runsAgainAndAgain_andLeavesATrace() {
    Request key = create("often", new CronTask.Spec("1s", null, false));

    await(() -> "" + status(key), () -> status(key).runs() >= 2);

    CronTask.Status status = status(key);
    assertThat(
            Duration.between(
                Instant.parse(Objects.requireNonNull(status.lastRun())),
                Instant.parse(Objects.requireNonNull(status.nextRun()))))
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(maps.get(Request.of("default", "often-last-run"))).isPresent();
    assertThat(failures()).isZero();
  }

  @Test
  void cronTask_saysWhenItIsDue_andDoesNotRunBefore() {
    Request key = create("yearly", new CronTask.Spec(null, "0 0 29 2 *", false));

    await(() -> "" + status(key), () -> status(key).nextRun() != null);

    assertThat(status(key).nextRun()).endsWith("-02-29T00:00:00Z");
    assertThat(status(key).runs()).isZero();
  }

  @Test
  void traceThatSomebodyDeletes_isPutBack_withoutAnotherRun() {
    Request key = create("hourly", new CronTask.Spec("1h", null, false));
    Request trace = Request.of("default", "hourly-last-run");
    await(() -> "a trace", () -> status(key).runs() == 1 && maps.get(trace).isPresent());

    maps.delete(trace);

    await(() -> "the trace", () -> maps.get(trace).isPresent());
    assertThat(status(key).runs()).isEqualTo(1);
  }

  @Test
  void badSchedule_isReportedAndNotTriedAgain_untilItIsEdited() {
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
  void suspendedTask_doesNotRun() {
    Request key = create("asleep", new CronTask.Spec("1s", null, true));
    Request other = create("awake", new CronTask.Spec("1s", null, false));

    await(() -> "" + status(other), () -> status(other).runs() >= 1);

    assertThat(status(key).runs()).isZero();
  }
}
