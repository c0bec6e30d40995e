// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.metrics;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Every meter of this host by its name in Prometheus. {@code docs/reference/metrics.md} lists the
 * same, which a test checks.
 *
 * <p>Thread rule: immutable.
 */
public enum Meters {
  RECONCILE_TOTAL(
      "controller_runtime_reconcile_total",
      Kind.COUNTER,
      "Attempts by how they ended: success, error, requeue or requeue_after.",
      "controller",
      "result"),
  RECONCILE_ERRORS(
      "controller_runtime_reconcile_errors_total",
      Kind.COUNTER,
      "Attempts that failed.",
      "controller"),
  TERMINAL_ERRORS(
      "controller_runtime_terminal_reconcile_errors_total",
      Kind.COUNTER,
      "Attempts that failed and are not tried again before the next event.",
      "controller"),
  RECONCILE_PANICS(
      "controller_runtime_reconcile_panics_total",
      Kind.COUNTER,
      "Attempts that threw a java.lang.Error.",
      "controller"),
  RECONCILE_TIMEOUTS(
      "controller_runtime_reconcile_timeouts_total",
      Kind.COUNTER,
      "Attempts that ran into their time limit.",
      "controller"),
  RECONCILE_TIME(
      "controller_runtime_reconcile_time_seconds",
      Kind.HISTOGRAM,
      "How long attempts took.",
      "controller"),
  ACTIVE_WORKERS(
      "controller_runtime_active_workers", Kind.GAUGE, "Workers that are busy.", "controller"),
  MAX_CONCURRENT(
      "controller_runtime_max_concurrent_reconciles",
      Kind.GAUGE,
      "Requests that may be reconciled at the same time.",
      "controller"),
  QUEUE_DEPTH(
      "workqueue_depth",
      Kind.GAUGE,
      "Items that are ready; delayed ones and those that wait for a token are not counted.",
      "name",
      "controller",
      "priority"),
  QUEUE_ADDS(
      "workqueue_adds_total",
      Kind.COUNTER,
      "How many times an item became ready by being added.",
      "name",
      "controller"),
  QUEUE_RETRIES(
      "workqueue_retries_total",
      Kind.COUNTER,
      "How many times an item was scheduled for later.",
      "name",
      "controller"),
  QUEUE_DURATION(
      "workqueue_queue_duration_seconds",
      Kind.HISTOGRAM,
      "How long items were ready before their attempt started.",
      "name",
      "controller"),
  WORK_DURATION(
      "workqueue_work_duration_seconds",
      Kind.HISTOGRAM,
      "How long the work on an item took.",
      "name",
      "controller"),
  UNFINISHED_WORK(
      "workqueue_unfinished_work_seconds",
      Kind.GAUGE,
      "The sum of how long each running attempt has been running.",
      "name",
      "controller"),
  LONGEST_RUNNING(
      "workqueue_longest_running_processor_seconds",
      Kind.GAUGE,
      "How long the oldest running attempt has been running.",
      "name",
      "controller"),
  REST_REQUESTS(
      "rest_client_requests_total",
      Kind.COUNTER,
      "Requests to the API server by status code, <error> for no answer.",
      "code",
      "method",
      "host"),
  REST_DURATION(
      "rest_client_request_duration_seconds",
      Kind.HISTOGRAM,
      "How long the API server took to answer; for a watch, to begin with it.",
      "verb",
      "host"),
  LEADER(
      "leader_election_master_status",
      Kind.GAUGE,
      "1 while this replica leads, otherwise 0.",
      "name"),
  PROCESS_CPU("process_cpu_seconds_total", Kind.COUNTER, "CPU time of this process, in seconds."),
  PROCESS_MEMORY("process_resident_memory_bytes", Kind.GAUGE, "Resident memory of this process."),
  PROCESS_FDS("process_open_fds", Kind.GAUGE, "Open file descriptors of this process."),
  ITEMS(
      "coxswain_queue_items",
      Kind.GAUGE,
      "Items by phase: ready, delayed, waitingToken or inFlight; and those that failed terminally.",
      "controller",
      "phase"),
  FAILING(
      "coxswain_queue_failing_items",
      Kind.GAUGE,
      "Items whose last attempt failed, terminally or not.",
      "controller"),
  TERMINAL_EVICTED(
      "coxswain_queue_terminal_evicted_total",
      Kind.COUNTER,
      "Items that failed terminally and are no longer kept because there were too many.",
      "controller"),
  OVERDUE(
      "coxswain_queue_overdue_items",
      Kind.GAUGE,
      "Attempts past their time limit that have not ended.",
      "controller"),
  OVERDUE_LIMIT(
      "coxswain_queue_overdue_limit",
      Kind.GAUGE,
      "Attempts past their time limit at which no more are started.",
      "controller"),
  OLDEST_READY(
      "coxswain_queue_oldest_ready_seconds",
      Kind.GAUGE,
      "For how long the item that is served next has been ready.",
      "controller"),
  PAUSED("coxswain_queue_paused", Kind.GAUGE, "1 while the controller is paused.", "controller"),
  MERGED(
      "coxswain_queue_dedup_total",
      Kind.COUNTER,
      "Requests that were merged into an item, by the phase that it was in.",
      "controller",
      "phase"),
  REJECTED(
      "coxswain_queue_rejected_total",
      Kind.COUNTER,
      "Requests that arrived after the intake had stopped.",
      "controller"),
  REQUEUE_AFTER_IGNORED(
      "coxswain_requeue_after_ignored_total",
      Kind.COUNTER,
      "Results requeueAfter without a positive delay, which are taken as done.",
      "controller"),
  WAKEUP_LAG(
      "coxswain_queue_wakeup_lag_seconds",
      Kind.HISTOGRAM,
      "How late delayed items became ready; shows the health of the event loop.",
      "controller"),
  USER_CODE_ERRORS(
      "coxswain_user_code_errors_total",
      Kind.COUNTER,
      "Failures of user code other than a reconciler: handlers, predicates, functions of sources,"
          + " flow functions.",
      "controller"),
  CONDITION(
      "coxswain_controller_condition",
      Kind.GAUGE,
      "1 while a standing problem of this type exists.",
      "controller",
      "type"),
  CONTROLLER_UP(
      "coxswain_controller_up",
      Kind.GAUGE,
      "1 while the controller runs in this replica.",
      "controller"),
  CONTROLLER_OWNER(
      "coxswain_controller_owner",
      Kind.GAUGE,
      "1 while this replica runs the controller or another one may by its Lease, otherwise 0.",
      "controller"),
  CONTROLLER_UNOWNED(
      "coxswain_controller_unowned_seconds",
      Kind.GAUGE,
      "For how long no replica in sight has owned the controller; 0 while one does.",
      "controller"),
  START_FAILURES(
      "coxswain_controller_start_failures_total",
      Kind.COUNTER,
      "How many times the controller could not be started.",
      "controller"),
  TOKEN_WAIT(
      "coxswain_limiter_wait_seconds",
      Kind.HISTOGRAM,
      "How long retries waited for a token.",
      "controller"),
  TOKENS(
      "coxswain_limiter_tokens",
      Kind.GAUGE,
      "Tokens there are; negative while reservations are outstanding.",
      "limiter"),
  CAPACITY("coxswain_limiter_capacity", Kind.GAUGE, "The burst of the limiter.", "limiter"),
  REFILL_RATE(
      "coxswain_limiter_refill_rate", Kind.GAUGE, "Tokens that come in per second.", "limiter"),
  WAITERS("coxswain_limiter_waiters", Kind.GAUGE, "Retries that wait for a token.", "limiter"),
  ACQUIRED(
      "coxswain_limiter_acquire_total",
      Kind.COUNTER,
      "Tokens asked for, by result: granted or denied.",
      "limiter",
      "result"),
  DEGRADED(
      "coxswain_limiter_degraded",
      Kind.GAUGE,
      "1 while this replica has less than its part of the shared limiter: its floor, or nothing.",
      "limiter"),
  GRANTED(
      "coxswain_limiter_granted_total",
      Kind.COUNTER,
      "Retries that were started here, by what gave the token: pool or floor.",
      "limiter",
      "source"),
  EXPIRED_PERMITS(
      "coxswain_limiter_expired_permits_total",
      Kind.COUNTER,
      "Permits of the pool that were not used in time.",
      "limiter"),
  LATE_PERMITS(
      "coxswain_limiter_late_permits_total",
      Kind.COUNTER,
      "Permits of the pool that arrived too late to be used.",
      "limiter"),
  POOL_FAILURES(
      "coxswain_limiter_pool_failures_total",
      Kind.COUNTER,
      "Calls to the pool that failed or were refused.",
      "limiter"),
  WORST_WINDOW(
      "coxswain_limiter_worst_window_excess",
      Kind.GAUGE,
      "The largest excess over the cap of all replicas that is certain since the start; 0 or less is well.",
      "limiter"),
  POOL_OWNER(
      "coxswain_limiter_pool_owner",
      Kind.GAUGE,
      "1 while the state of the limiter's pool is kept on this replica.",
      "limiter"),
  POOL_BACKUP(
      "coxswain_limiter_pool_backup",
      Kind.GAUGE,
      "1 while the backup of the state of the limiter's pool is kept on this replica.",
      "limiter"),
  MEMBERS(
      "coxswain_limiter_members",
      Kind.GAUGE,
      "Hazelcast members that this replica sees, itself included; 0 while its own does not run."),
  MAJORITY("coxswain_limiter_majority", Kind.GAUGE, "How many members the pool needs."),
  REPLICA_ORDINAL(
      "coxswain_replica_ordinal",
      Kind.GAUGE,
      "The ordinal of the Lease of this replica, -1 while it holds none."),
  REPLICA_LEASE_ACTING(
      "coxswain_replica_lease_acting",
      Kind.GAUGE,
      "1 while this replica may act on its Lease; without that it starts no retries."),
  REPLICA_LEASES_HELD(
      "coxswain_replica_leases_held",
      Kind.GAUGE,
      "Replica Leases that are held, as this replica last listed them."),
  CACHE_OBJECTS("coxswain_cache_objects", Kind.GAUGE, "Objects that a cache holds.", "cache"),
  CACHE_BYTES("coxswain_cache_bytes", Kind.GAUGE, "Bytes of JSON that a cache holds.", "cache"),
  CACHE_SYNCED(
      "coxswain_cache_synced",
      Kind.GAUGE,
      "1 when a cache has held a complete list at least once.",
      "cache"),
  CACHE_AGE(
      "coxswain_cache_age_seconds",
      Kind.GAUGE,
      "How long ago the API server was last heard of: an event, a bookmark, a list.",
      "cache"),
  CACHE_LISTS(
      "coxswain_cache_lists_total",
      Kind.COUNTER,
      "Complete lists that were read; all but the first are relists.",
      "cache"),
  CACHE_WATCHES(
      "coxswain_cache_watches_total",
      Kind.COUNTER,
      "Watches that were opened; all but the first are restarts.",
      "cache"),
  CACHE_UNDECODABLE(
      "coxswain_cache_undecodable_total",
      Kind.COUNTER,
      "Objects that were skipped because they do not fit their class.",
      "cache"),
  CONNECTIONS_REFUSED(
      "coxswain_http_connections_refused_total",
      Kind.COUNTER,
      "Connections that were closed to keep a limit: address, unknown, total or slow.",
      "server",
      "reason"),
  LOGINS_FAILED(
      "coxswain_admin_logins_failed_total",
      Kind.COUNTER,
      "Requests to the admin API that were not authenticated: missing, malformed, rejected or limited.",
      "reason"),
  AUDIT_FAILURES(
      "coxswain_audit_failures_total",
      Kind.COUNTER,
      "Audit records that could not be written; the change of such an intent was refused."),
  LOG_DROPPED(
      "coxswain_log_lines_dropped_total",
      Kind.COUNTER,
      "Log lines that were dropped because the output did not take them."),
  SERIES_REFUSED(
      "coxswain_metrics_series_refused_total",
      Kind.COUNTER,
      "Series that were not made because their meter has 5000 of them; 0 is well."),
  CACHE_INDEX_FAILURES(
      "coxswain_cache_index_failures_total",
      Kind.COUNTER,
      "How often an index threw at an object; queries of that index fail meanwhile.",
      "cache"),
  BUILD_INFO("coxswain_build_info", Kind.GAUGE, "Always 1.", "version", "java");

  /** The meters that are there only with {@code sharedLimiter.enabled}. */
  public static final Set<Meters> OF_SHARED_LIMITER =
      Collections.unmodifiableSet(EnumSet.range(DEGRADED, REPLICA_LEASES_HELD));

  /** What a meter measures with. */
  public enum Kind {
    /** Only grows. */
    COUNTER,
    /** Goes up and down. */
    GAUGE,
    /** Counts observations by size. */
    HISTOGRAM
  }

  private final String id;
  private final Kind kind;
  private final String help;
  private final String labels;

  Meters(String id, Kind kind, String help, String... labels) {
    this.id = id;
    this.kind = kind;
    this.help = help;
    this.labels = String.join(",", labels);
  }

  /** Returns the name of the family. */
  public String id() {
    return id;
  }

  /** Returns what it measures with. */
  public Kind kind() {
    return kind;
  }

  /** Returns what it means. */
  public String help() {
    return help;
  }

  /** Returns its labels, in order. */
  public List<String> labels() {
    return labels.isEmpty() ? List.of() : List.of(labels.split(",", -1));
  }
}
