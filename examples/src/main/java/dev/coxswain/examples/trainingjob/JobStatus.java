// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The observed state of a {@link TrainingJob}. Times are ISO-8601 in UTC.
 *
 * <p>Thread rule: immutable.
 *
 * @param conditions what holds of the job
 * @param replicas the Pods of each group, by state
 * @param failures the failed Pods that were replaced, by the name of the Pod
 * @param restarts restarts of containers and Pods together
 * @param startTime when the job was first reconciled; null before
 * @param completionTime when it succeeded or failed; null before
 */
public record JobStatus(
    List<JobCondition> conditions,
    Map<String, GroupStatus> replicas,
    Map<String, PodFailures> failures,
    int restarts,
    @Nullable String startTime,
    @Nullable String completionTime) {

  static final JobStatus EMPTY = new JobStatus(List.of(), Map.of(), Map.of(), 0, null, null);

  public JobStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
    replicas = replicas == null ? Map.of() : Map.copyOf(replicas);
    failures = failures == null ? Map.of() : Map.copyOf(failures);
  }

  /**
   * A condition.
   *
   * @param type what is true or not
   * @param status {@code True} or {@code False}
   * @param reason the cause as one word
   * @param message the cause for people
   * @param lastTransitionTime when the status last changed
   */
  public record JobCondition(
      String type, String status, String reason, String message, String lastTransitionTime) {

    boolean holds() {
      return status.equals("True");
    }
  }

  /**
   * The Pods of a group.
   *
   * @param active Pods that are pending or running
   * @param succeeded Pods that succeeded
   * @param failed Pods that failed
   */
  public record GroupStatus(int active, int succeeded, int failed) {}

  /**
   * The failures of the Pods of one name.
   *
   * @param uid the uid of the one that failed last, so that it is counted once
   * @param count how many have failed
   */
  public record PodFailures(String uid, int count) {}

  /** Returns a condition; empty when it was never set. */
  public Optional<JobCondition> condition(String type) {
    return conditions.stream().filter(one -> one.type().equals(type)).findFirst();
  }

  /** Returns whether a condition is true. */
  public boolean is(String type) {
    return condition(type).filter(JobCondition::holds).isPresent();
  }

  boolean finished() {
    return is(Conditions.SUCCEEDED) || is(Conditions.FAILED);
  }

  /** Sets a condition; its transition time changes only when its status does. */
  JobStatus with(String type, boolean holds, String reason, String message, Instant now) {
    String value = holds ? "True" : "False";
    Optional<JobCondition> before = condition(type);
    String since =
        before
            .filter(one -> one.status().equals(value))
            .map(JobCondition::lastTransitionTime)
            .orElse(now.toString());
    List<JobCondition> all = new ArrayList<>(conditions);
    JobCondition after = new JobCondition(type, value, reason, message, since);
    before.ifPresentOrElse(one -> all.set(all.indexOf(one), after), () -> all.add(after));
    return new JobStatus(all, replicas, failures, restarts, startTime, completionTime);
  }

  /** Sets a condition to false if it is true. */
  JobStatus without(String type, String reason, String message, Instant now) {
    return is(type) ? with(type, false, reason, message, now) : this;
  }

  JobStatus started(Instant now) {
    return startTime != null
        ? this
        : new JobStatus(conditions, replicas, failures, restarts, now.toString(), completionTime)
            .with(Conditions.CREATED, true, "JobCreated", "the job was accepted", now);
  }

  JobStatus finished(String type, String reason, String message, Instant now) {
    return without(Conditions.RUNNING, reason, message, now)
        .without(Conditions.RESTARTING, reason, message, now)
        .with(type, true, reason, message, now)
        .completedAt(now);
  }

  private JobStatus completedAt(Instant now) {
    return new JobStatus(conditions, replicas, failures, restarts, startTime, now.toString());
  }

  /** Counts the failure of a Pod unless it was counted already. */
  JobStatus failed(String pod, String uid) {
    PodFailures before = failures.getOrDefault(pod, new PodFailures("", 0));
    if (before.uid().equals(uid)) {
      return this;
    }
    Map<String, PodFailures> all = new TreeMap<>(failures);
    all.put(pod, new PodFailures(uid, before.count() + 1));
    return new JobStatus(conditions, replicas, all, restarts + 1, startTime, completionTime);
  }

  int failedPods() {
    return failures.values().stream().mapToInt(PodFailures::count).sum();
  }

  JobStatus observed(Map<String, GroupStatus> groups, int containerRestarts) {
    int all = failedPods() + containerRestarts;
    return new JobStatus(conditions, groups, failures, all, startTime, completionTime);
  }

  /** The types of the conditions. */
  static final class Conditions {
    static final String CREATED = "Created";
    static final String RUNNING = "Running";
    static final String RESTARTING = "Restarting";
    static final String SUCCEEDED = "Succeeded";
    static final String FAILED = "Failed";

    private Conditions() {}
  }
}
