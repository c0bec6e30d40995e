// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs a task when it is due, and requeues it for its next run. */
final class CronReconciler implements Reconciler<Request> {

  static final String LABEL = "cron.coxswain.dev/run";

  private final Resource<CronTask> tasks;
  private final Resource<V1ConfigMap> maps;
  private final Clock clock;

  CronReconciler(Resource<CronTask> tasks, Resource<V1ConfigMap> maps, Clock clock) {
    this.tasks = tasks;
    this.maps = maps;
    this.clock = clock;
  }

  @Override
  public Result reconcile(Request request, ReconcileContext context) throws TerminalException {
    // Read from the API server: running twice on an old status is worse than one more request.
    Optional<CronTask> found = tasks.get(request);
    if (found.isEmpty() || found.get().getMetadata().getDeletionTimestamp() != null) {
      return Result.done();
    }
    CronTask task = found.get();
    if (task.spec().suspend()) {
      return Result.done();
    }
    Schedule schedule = schedule(request, task);
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    CronTask.Status status = task.status();
    Instant due = due(task, schedule, now);
    if (now.isBefore(due)) {
      repairTrace(task, status);
      writeStatus(request, task, new Plan(status.lastRun(), due, status.runs()));
      return Result.requeueAfter(Duration.between(now, due));
    }
    long runs = status.runs() + 1;
    leaveTrace(task, now.toString(), runs);
    Instant next = schedule.after(now);
    writeStatus(request, task, new Plan(now.toString(), next, runs));
    return Result.requeueAfter(Duration.between(now, next));
  }

  private record Plan(@Nullable String lastRun, Instant next, long runs) {}

  private Schedule schedule(Request request, CronTask task) throws TerminalException {
    try {
      Schedule schedule = Schedule.of(task.spec());
      // Fails here for an expression that matches no date.
      schedule.after(clock.instant());
      return schedule;
    } catch (IllegalArgumentException | IllegalStateException e) {
      CronTask.Status before = task.status();
      tasks.modifyStatus(
          request,
          stored ->
              stored.setStatus(
                  new CronTask.Status(
                      before.lastRun(),
                      null,
                      before.runs(),
                      e.getMessage(),
                      task.getMetadata().getGeneration())));
      throw new TerminalException("invalid schedule: " + e.getMessage(), e);
    }
  }

  /** A task that has never run is due at once when it has an interval, else at the next match. */
  private static Instant due(CronTask task, Schedule schedule, Instant now) {
    String lastRun = task.status().lastRun();
    if (lastRun != null) {
      return schedule.after(Instant.parse(lastRun));
    }
    return schedule instanceof Schedule.Every
        ? now
        : schedule.after(
            Objects.requireNonNull(task.getMetadata().getCreationTimestamp()).toInstant());
  }

  private void writeStatus(Request request, CronTask task, Plan plan) {
    tasks.modifyStatus(
        request,
        stored ->
            stored.setStatus(
                new CronTask.Status(
                    plan.lastRun(),
                    plan.next().toString(),
                    plan.runs(),
                    null,
                    task.getMetadata().getGeneration())));
  }

  private void repairTrace(CronTask task, CronTask.Status status) {
    String lastRun = status.lastRun();
    if (lastRun != null) {
      leaveTrace(task, lastRun, status.runs());
    }
  }

  private void leaveTrace(CronTask task, String time, long runs) {
    V1ObjectMeta owner = task.getMetadata();
    Request key =
        Request.of(Objects.requireNonNull(owner.getNamespace()), owner.getName() + "-last-run");
    maps.createOrPatch(
        key,
        () ->
            new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(key.namespace()).name(key.name())),
        map -> {
          V1ObjectMeta metadata = Objects.requireNonNull(map.getMetadata());
          Map<String, String> labels =
              metadata.getLabels() == null ? new HashMap<>() : new HashMap<>(metadata.getLabels());
          labels.put(LABEL, "true");
          metadata.setLabels(labels);
          OwnerReferences.setController(tasks.type(), task, map);
          map.setData(new HashMap<>(Map.of("time", time, "run", Long.toString(runs))));
        });
  }
}
