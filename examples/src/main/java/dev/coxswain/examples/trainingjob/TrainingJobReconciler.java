// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import dev.coxswain.examples.trainingjob.JobPods.Place;
import dev.coxswain.examples.trainingjob.JobStatus.Conditions;
import dev.coxswain.examples.trainingjob.TrainingJob.ReplicaGroup;
import dev.coxswain.examples.trainingjob.TrainingJob.RunPolicy;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Brings one job a step further; each step can be repeated after a crash. */
final class TrainingJobReconciler implements Reconciler<Request> {

  /** The first exit code after which a Pod is replaced: 128 and more are signals. */
  private static final int FIRST_RETRYABLE = 128;

  private final Lister<TrainingJob> jobs;
  private final OwnedReplicas replicas;
  private final Resource<TrainingJob> write;
  private final Clock clock;

  TrainingJobReconciler(
      Lister<TrainingJob> jobs, OwnedReplicas replicas, Resource<TrainingJob> write, Clock clock) {
    this.jobs = jobs;
    this.replicas = replicas;
    this.write = write;
    this.clock = clock;
  }

  @Override
  public Result reconcile(Request request, ReconcileContext context) {
    Optional<TrainingJob> found = jobs.get(request);
    if (found.isEmpty() || found.get().getMetadata().getDeletionTimestamp() != null) {
      // Pods and Services are deleted with their owner.
      return Result.done();
    }
    TrainingJob job = found.get();
    JobPods pods = replicas.observe(job);
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    if (!isCurrent(request, job, pods, now)) {
      return Result.done(); // its event is on the way
    }
    if (!job.status().finished()) {
      save(job, next(job, pods, now));
    }
    if (job.status().finished()) {
      return afterwards(request, job, pods, now);
    }
    createMissing(job);
    replicas.deleteSurplus(job, pods);
    return untilDeadline(job, now);
  }

  /**
   * Returns whether the cached job may be acted on. Before something is created, counted or written
   * the job is read: the cache of another replica may be older than its end, than its successor, or
   * than a restart that has been counted and would be overwritten.
   */
  private boolean isCurrent(Request request, TrainingJob job, JobPods pods, Instant now) {
    if (job.status().finished()
        || (pods.failed().isEmpty()
            && replicas.missing(job, pods).isEmpty()
            && next(job, pods, now).equals(job.status()))) {
      return true;
    }
    Optional<TrainingJob> live =
        write
            .get(request)
            .filter(read -> uid(read).equals(uid(job)))
            .filter(read -> read.getMetadata().getDeletionTimestamp() == null);
    live.ifPresent(read -> job.setStatus(read.status()));
    return live.isPresent();
  }

  private JobStatus next(TrainingJob job, JobPods pods, Instant now) {
    RunPolicy policy = job.spec().runPolicy();
    JobStatus observed =
        job.status().started(now).observed(pods.groups(), pods.containerRestarts());
    Optional<JobStatus> end = end(job, observed, pods, now);
    if (end.isPresent()) {
      return end.get();
    }
    JobStatus status = replaceFailed(job, observed, pods, now);
    return status.restarts() <= policy.restartsAllowed()
        ? status
        : status.finished(
            Conditions.FAILED,
            "BackoffLimitExceeded",
            "more than " + policy.restartsAllowed() + " restarts",
            now);
  }

  /** Returns the final status of a job that has ended, or empty. */
  private static Optional<JobStatus> end(
      TrainingJob job, JobStatus status, JobPods pods, Instant now) {
    RunPolicy policy = job.spec().runPolicy();
    if (pods.succeeded()) {
      return Optional.of(
          status.finished(
              Conditions.SUCCEEDED, "JobSucceeded", "the deciding Pods succeeded", now));
    }
    for (Place place : pods.failed()) {
      ReplicaGroup group = Objects.requireNonNull(job.spec().replicas().get(place.group()));
      Optional<Integer> code = pods.at(place).flatMap(JobPods::exitCode);
      String message = place.name() + " failed" + code.map(c -> " with exit code " + c).orElse("");
      if (group.policy() == TrainingJob.RestartPolicy.Never) {
        return Optional.of(status.finished(Conditions.FAILED, "PodFailed", message, now));
      }
      if (group.policy() == TrainingJob.RestartPolicy.ExitCode
          && code.filter(c -> c < FIRST_RETRYABLE).isPresent()) {
        return Optional.of(status.finished(Conditions.FAILED, "PermanentExitCode", message, now));
      }
    }
    if (policy.activeDeadlineSeconds() != null && !now.isBefore(deadline(job, status))) {
      return Optional.of(
          status.finished(
              Conditions.FAILED,
              "DeadlineExceeded",
              "active for more than " + policy.activeDeadlineSeconds() + " s",
              now));
    }
    return Optional.empty();
  }

  private static Instant deadline(TrainingJob job, JobStatus status) {
    @Nullable Long seconds = job.spec().runPolicy().activeDeadlineSeconds();
    return seconds == null
        ? Instant.MAX
        : Instant.parse(Objects.requireNonNull(status.startTime())).plusSeconds(seconds);
  }

  /** Counts each failed Pod in the status, then deletes it; its successor has the same name. */
  private JobStatus replaceFailed(TrainingJob job, JobStatus before, JobPods pods, Instant now) {
    JobStatus status = before;
    boolean replaced = false;
    for (Place place : pods.failed()) {
      // The cache may be older than the restart that it shows: the Pod that exists now counts.
      Optional<V1Pod> failed = pods.at(place).flatMap(replicas::current);
      if (failed.isPresent()) {
        status =
            status
                .failed(place.name(), JobPods.uid(failed.get()))
                .without(Conditions.RUNNING, "PodRestarts", place.name() + " failed", now)
                .with(Conditions.RESTARTING, true, "PodRestarts", place.name() + " failed", now);
        replaced = true;
        if (status.restarts() <= job.spec().runPolicy().restartsAllowed()) {
          save(job, status);
          replicas.delete(failed.get());
        }
      }
    }
    // A Pod that has failed may still be in the cache, and its successor does not run yet.
    if (!replaced
        && pods.failed().isEmpty()
        && pods.anyRunning()
        && pods.allStarted(before.failures())) {
      status =
          status
              .without(Conditions.RESTARTING, "PodsRunning", "all Pods have started", now)
              .with(Conditions.RUNNING, true, "PodsRunning", "all Pods have started", now);
    }
    return status;
  }

  private void createMissing(TrainingJob job) {
    // Observed again: what was just deleted is missing now.
    List<Place> missing = replicas.missing(job, replicas.observe(job));
    for (Place place : missing) {
      replicas.create(job, place);
    }
  }

  private static Result untilDeadline(TrainingJob job, Instant now) {
    Instant deadline = deadline(job, job.status());
    return deadline.equals(Instant.MAX)
        ? Result.done()
        : Result.requeueAfter(Duration.between(now, deadline).plusMillis(1));
  }

  private Result afterwards(Request request, TrainingJob job, JobPods pods, Instant now) {
    replicas.cleanUp(job, pods);
    @Nullable Long ttl = job.spec().runPolicy().ttlSecondsAfterFinished();
    if (ttl == null) {
      return Result.done();
    }
    Instant end = Instant.parse(Objects.requireNonNull(job.status().completionTime()));
    Duration left = Duration.between(now, end.plusSeconds(ttl));
    if (left.isPositive()) {
      return Result.requeueAfter(left);
    }
    write.delete(request, DeleteOptions.BACKGROUND.withUid(uid(job)));
    return Result.done();
  }

  /** Writes the status if it differs, and lets the rest of the attempt read it. */
  private void save(TrainingJob job, JobStatus status) {
    if (!status.equals(job.status())) {
      write.modifyStatus(
          write.key(job),
          stored -> {
            if (uid(stored).equals(uid(job))) {
              stored.setStatus(status);
            }
          });
      job.setStatus(status);
    }
  }

  private static String uid(TrainingJob job) {
    return Objects.requireNonNull(job.getMetadata().getUid());
  }
}
