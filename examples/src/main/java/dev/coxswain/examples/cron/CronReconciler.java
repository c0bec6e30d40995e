// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.examples.cron.CronPlanner.Plan;
import dev.coxswain.examples.cron.CronTask.ConcurrencyPolicy;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts a run when it is due, deletes old ones, and requeues the task for its next run. */
final class CronReconciler implements Reconciler<Request> {

  private final Resource<CronTask> tasks;
  private final CronRuns runs;
  private final Clock clock;

  CronReconciler(Resource<CronTask> tasks, CronRuns runs, Clock clock) {
    this.tasks = tasks;
    this.runs = runs;
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
    CronTask.Spec spec = task.spec();
    List<V1Pod> pods = runs.of(task);
    if (spec.concurrency() == ConcurrencyPolicy.Replace) {
      // Also here: a Pod that the cache did not have yet when the next run started.
      pods.stream().filter(CronRuns::isActive).skip(1).forEach(runs::delete);
    }
    Progress progress = Progress.of(task, pods);
    if (spec.suspend()) {
      save(request, task, progress, null, null);
      runs.keepLast(task);
      return Result.done();
    }
    Schedule schedule = schedule(request, task, progress);
    Instant now = clock.instant();
    Plan plan =
        new CronPlanner(
                schedule,
                Optional.ofNullable(spec.startingDeadlineSeconds()).map(Duration::ofSeconds))
            .plan(after(task, schedule), now);
    save(request, task, next(task, progress, plan, pods), plan.next(), null);
    // Behind the status: before it, the Pod is what shows that its run was started.
    runs.keepLast(task);
    return Result.requeueAfter(Duration.between(now, plan.next()));
  }

  /**
   * What has happened so far.
   *
   * @param last the due time of the last run that was started or dropped
   * @param succeeded that of the last run that succeeded
   */
  private record Progress(
      @Nullable String last, @Nullable String succeeded, long runs, long missed) {

    static Progress of(CronTask task, List<V1Pod> pods) {
      CronTask.Status status = task.status();
      return new Progress(
          status.lastScheduleTime(),
          CronRuns.lastSuccess(pods).orElse(status.lastSuccessfulTime()),
          status.runs(),
          status.missed());
    }

    Progress after(Instant due, int started, int skipped) {
      return new Progress(due.toString(), succeeded, runs + started, missed + skipped);
    }
  }

  private Progress next(CronTask task, Progress before, Plan plan, List<V1Pod> pods) {
    if (plan.due().isEmpty()) {
      return before;
    }
    Instant due = plan.due().get();
    if (runs.wasStarted(task, due)) {
      return before.after(due, 1, plan.missed()); // a failure came between the Pod and the status
    }
    if (plan.tooLate()) {
      return before.after(due, 0, plan.missed() + 1);
    }
    ConcurrencyPolicy policy = task.spec().concurrency();
    if (policy == ConcurrencyPolicy.Forbid && runs.isAnyRunning(task)) {
      return before; // the end of that Pod is an event
    }
    if (policy == ConcurrencyPolicy.Replace) {
      pods.stream().filter(CronRuns::isActive).forEach(runs::delete);
    }
    runs.start(task, due);
    return before.after(due, 1, plan.missed());
  }

  /** The time after which runs are due: intervals count from the creation, which is a due time. */
  private static Instant after(CronTask task, Schedule schedule) {
    String last = task.status().lastScheduleTime();
    if (last != null) {
      return Instant.parse(last);
    }
    // By the clock of the API server, which may be ahead of this one: then nothing is due yet.
    Instant created = Objects.requireNonNull(task.getMetadata().getCreationTimestamp()).toInstant();
    return schedule instanceof Schedule.Every every ? created.minus(every.interval()) : created;
  }

  private Schedule schedule(Request request, CronTask task, Progress progress)
      throws TerminalException {
    try {
      CronRuns.check(String.valueOf(task.getMetadata().getName()), task.spec());
      Schedule schedule = Schedule.of(task.spec());
      // Fails here for an expression that matches no date.
      schedule.after(clock.instant());
      return schedule;
    } catch (IllegalArgumentException | IllegalStateException e) {
      save(request, task, progress, null, e.getMessage());
      throw new TerminalException("invalid spec: " + e.getMessage(), e);
    }
  }

  private void save(
      Request request,
      CronTask task,
      Progress progress,
      @Nullable Instant next,
      @Nullable String problem) {
    List<String> active =
        runs.of(task).stream()
            .filter(CronRuns::isActive)
            .map(pod -> String.valueOf(Objects.requireNonNull(pod.getMetadata()).getName()))
            .toList();
    tasks.modifyStatus(
        request,
        stored ->
            stored.setStatus(
                new CronTask.Status(
                    progress.last(),
                    progress.succeeded(),
                    next == null ? null : next.toString(),
                    progress.runs(),
                    progress.missed(),
                    active,
                    problem,
                    task.getMetadata().getGeneration())));
  }
}
