// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Every meter of this host by its name in Prometheus. {@code docs/reference/metrics.md} lists the
 * same, which a test checks.
 *
 * <p>Thread rule: immutable.
 */
public enum Meters {
  RECONCILE_TOTAL(
      "controller_runtime_reconcile_total{controller,result}",
      "Attempts by outcome: success, error, requeue or requeue_after."),
  RECONCILE_ERRORS(
      "controller_runtime_reconcile_errors_total{controller}", "Attempts that failed."),
  TERMINAL_ERRORS(
      "controller_runtime_terminal_reconcile_errors_total{controller}",
      "Attempts that failed terminally: no retry before the next event."),
  RECONCILE_PANICS(
      "controller_runtime_reconcile_panics_total{controller}",
      "Attempts that threw a java.lang.Error."),
  RECONCILE_TIMEOUTS(
      "controller_runtime_reconcile_timeouts_total{controller}",
      "Attempts that exceeded their time limit."),
  RECONCILE_TIME(
      Kind.HISTOGRAM,
      "controller_runtime_reconcile_time_seconds{controller}",
      "The duration of attempts."),
  ACTIVE_WORKERS("controller_runtime_active_workers{controller}", "Busy workers."),
  MAX_CONCURRENT(
      "controller_runtime_max_concurrent_reconciles{controller}",
      "Requests that may be reconciled at the same time."),
  QUEUE_DEPTH(
      "workqueue_depth{name,controller,priority}",
      "Items that are ready; delayed ones and those that wait for a token are not counted."),
  QUEUE_ADDS("workqueue_adds_total{name,controller}", "Items that became ready by being added."),
  QUEUE_RETRIES("workqueue_retries_total{name,controller}", "Items that were scheduled for later."),
  QUEUE_DURATION(
      Kind.HISTOGRAM,
      "workqueue_queue_duration_seconds{name,controller}",
      "The time from ready to the start of the attempt."),
  WORK_DURATION(
      Kind.HISTOGRAM,
      "workqueue_work_duration_seconds{name,controller}",
      "The duration of the work on an item."),
  UNFINISHED_WORK(
      "workqueue_unfinished_work_seconds{name,controller}",
      "The sum of the ages of the running attempts."),
  LONGEST_RUNNING(
      "workqueue_longest_running_processor_seconds{name,controller}",
      "The age of the oldest running attempt."),
  REST_REQUESTS(
      "rest_client_requests_total{code,method,host,cluster}",
      "Requests to the API server by status code, <error> for no response."),
  REST_DURATION(
      Kind.HISTOGRAM,
      "rest_client_request_duration_seconds{verb,host,cluster}",
      "The duration of requests to the API server; for a watch, until its response begins."),
  WEBHOOK_REQUESTS(
      "controller_runtime_webhook_requests_total{webhook,code}",
      "Calls of webhooks by the status of the response; a denial is a 200."),
  WEBHOOK_LATENCY(
      Kind.HISTOGRAM,
      "controller_runtime_webhook_latency_seconds{webhook}",
      "The duration of calls of webhooks."),
  WEBHOOK_IN_FLIGHT(
      "controller_runtime_webhook_requests_in_flight{webhook}",
      "Calls of webhooks that are being answered."),
  LEADER(
      "leader_election_master_status{name}",
      "1 while this replica alone runs the controller of this name, otherwise 0."),
  PROCESS_CPU("process_cpu_seconds_total", "CPU time of this process, in seconds."),
  PROCESS_MEMORY("process_resident_memory_bytes", "Resident memory of this process."),
  PROCESS_VIRTUAL_MEMORY("process_virtual_memory_bytes", "Virtual memory of this process."),
  PROCESS_FDS("process_open_fds", "Open file descriptors of this process."),
  PROCESS_MAX_FDS(
      "process_max_fds", "The number of file descriptors that this process may have open."),
  PROCESS_START("process_start_time_seconds", "When this process started, in seconds since 1970."),
  FAILURES(
      "coxswain_reconcile_failures_total{controller,cause}",
      "Attempts that failed, by the id of their cause; other for all but the first 20 causes of a"
          + " controller since the start of the replica."),
  ITEMS(
      "coxswain_queue_items{controller,phase}",
      "Items by phase: ready, delayed, waitingToken or inFlight; and those that failed "
          + "terminally."),
  FAILING(
      "coxswain_queue_failing_items{controller}",
      "Items whose last attempt failed, terminally or not."),
  TERMINAL_EVICTED(
      "coxswain_queue_terminal_evicted_total{controller}",
      "Items that failed terminally and are no longer kept because there were too many."),
  OVERDUE(
      "coxswain_queue_overdue_items{controller}",
      "Attempts past their time limit that have not ended."),
  OVERDUE_LIMIT(
      "coxswain_queue_overdue_limit{controller}",
      "The number of attempts past their time limit at which no more attempts are started."),
  OLDEST_READY(
      "coxswain_queue_oldest_ready_seconds{controller}",
      "The time for which the next item has been ready."),
  PAUSED("coxswain_queue_paused{controller}", "1 while the controller is paused."),
  PAUSED_CAUSES(
      "coxswain_queue_paused_causes{controller}",
      "The number of causes of failures whose items are not retried."),
  MERGED(
      "coxswain_queue_dedup_total{controller,phase}",
      "Requests that were merged into an item, by the phase that it was in."),
  REJECTED(
      "coxswain_queue_rejected_total{controller}",
      "Requests that arrived after the controller had stopped."),
  REQUEUE_AFTER_IGNORED(
      "coxswain_requeue_after_ignored_total{controller}",
      "Results requeueAfter without a positive delay, which count as success."),
  LOST_OWNERSHIP(
      "coxswain_lost_ownership_total{controller}",
      "Attempts that ended because this replica no longer owned the request; not counted as"
          + " failures."),
  WAKEUP_LAG(
      Kind.HISTOGRAM,
      "coxswain_queue_wakeup_lag_seconds{controller}",
      "The delay with which delayed items became ready; a measure of the health of the event"
          + " loop."),
  USER_CODE_ERRORS(
      "coxswain_user_code_errors_total{controller}",
      "Failures of user code other than a reconciler: handlers, predicates, functions "
          + "of sources, flow functions."),
  CONDITION(
      "coxswain_controller_condition{controller,type}", "1 while a condition of this type exists."),
  CONTROLLER_UP(
      "coxswain_controller_up{controller}", "1 while the controller runs in this replica."),
  CONTROLLER_OWNER(
      "coxswain_controller_owner{controller}",
      "1 while this replica runs the controller or another one may by its Lease, otherwise 0."),
  CONTROLLER_UNOWNED(
      "coxswain_controller_unowned_seconds{controller}",
      "The time for which no replica was observed to own the controller; 0 while one does."),
  START_FAILURES(
      "coxswain_controller_start_failures_total{controller}", "Failed starts of the controller."),
  TOKEN_WAIT(
      Kind.HISTOGRAM,
      "coxswain_limiter_wait_seconds{controller}",
      "The time for which retries waited for a token."),
  TOKENS(
      "coxswain_limiter_tokens{limiter}",
      "Available tokens; negative while reservations are outstanding."),
  CAPACITY("coxswain_limiter_capacity{limiter}", "The burst of the limiter."),
  REFILL_RATE("coxswain_limiter_refill_rate{limiter}", "Tokens that are added per second."),
  WAITERS("coxswain_limiter_waiters{limiter}", "Retries of this replica that wait for a token."),
  ACQUIRED(
      "coxswain_limiter_acquire_total{limiter,result}",
      "Requested tokens by result: granted or denied."),
  DEGRADED(
      "coxswain_limiter_degraded{limiter}",
      "1 while this replica has less than its part of the shared limiter: its floor, or nothing."),
  GRANTED(
      "coxswain_limiter_granted_total{limiter,source}",
      "Retries that were started here, by the source of the token: pool or floor."),
  EXPIRED_PERMITS(
      "coxswain_limiter_expired_permits_total{limiter}",
      "Permits of the pool that were not used in time."),
  LATE_PERMITS(
      "coxswain_limiter_late_permits_total{limiter}",
      "Permits of the pool that arrived too late to be used."),
  POOL_FAILURES(
      "coxswain_limiter_pool_failures_total{limiter}",
      "Calls to the pool that failed or were refused."),
  WORST_WINDOW(
      "coxswain_limiter_worst_window_excess{limiter}",
      "The largest excess over the cap of all replicas that is certain since the "
          + "start; 0 or less is normal."),
  POOL_OWNER(
      "coxswain_limiter_pool_owner{limiter}",
      "1 while the state of the limiter's pool is kept on this replica."),
  POOL_BACKUP(
      "coxswain_limiter_pool_backup{limiter}",
      "1 while the backup of the state of the limiter's pool is kept on this replica."),
  MEMBERS(
      "coxswain_limiter_members",
      "Hazelcast members in the view of this replica, with its own; 0 while its own does not run."),
  MAJORITY("coxswain_limiter_majority", "The number of members that the pool requires."),
  REPLICA_ORDINAL(
      "coxswain_replica_ordinal",
      "The ordinal of the Lease of this replica, -1 while it holds none."),
  REPLICA_LEASE_ACTING(
      "coxswain_replica_lease_acting",
      "1 while this replica may act by its Lease; otherwise it starts no retries."),
  REPLICA_LEASES_HELD(
      "coxswain_replica_leases_held",
      "Replica Leases that are held, as this replica last listed them."),
  REPLICA_LEASES_FENCED(
      "coxswain_replica_leases_fenced_total",
      "Expired Leases of other replicas that this one has released."),
  WRITES_REFUSED(
      "coxswain_writes_refused_total",
      "Writes that were refused because this replica did not own their slot, or may not act."),
  SLOTS("coxswain_slots{state}", "Slots of the slot map: free, owned or draining."),
  SLOT_MAP_REJECTED(
      "coxswain_slot_map_rejected",
      "1 while this replica does not accept the slot map, so that all its slots are closed."),
  SLOTS_HELD(
      "coxswain_slots_held{stage}", "Slots of this replica: incoming, open, preparing or closing."),
  SLOT_MOVES(
      "coxswain_slot_moves_total{reason}",
      "Slots that this replica became the owner of: assigned, handed_over or taken_over."),
  SLOT_UNOWNED(
      "coxswain_slot_unowned_seconds",
      "The longest time for which a slot has had no live owner; 0 when each has one."),
  CACHE_OBJECTS("coxswain_cache_objects{cache}", "Objects in an informer."),
  CACHE_BYTES("coxswain_cache_bytes{cache}", "Bytes of JSON in an informer."),
  CACHE_SYNCED("coxswain_cache_synced{cache}", "1 when an informer has received a complete list."),
  CACHE_AGE(
      "coxswain_cache_age_seconds{cache}",
      "The time since the last message of the API server: an event, a bookmark or a list."),
  CACHE_LISTS(
      "coxswain_cache_lists_total{cache}",
      "Complete lists that were read; all but the first are relists."),
  CACHE_WATCHES(
      "coxswain_cache_watches_total{cache}",
      "Watches that were opened; all but the first are restarts."),
  CACHE_EVENTS(
      "coxswain_cache_events_total{cache}", "Events that the watches of an informer received."),
  CACHE_EVENTS_DROPPED(
      "coxswain_cache_events_dropped_total{cache}",
      "Of these, events of objects that the replica does not keep."),
  CACHE_EVENT_BYTES(
      "coxswain_cache_event_bytes_total{cache}", "Bytes of JSON of the objects in these events."),
  CACHE_EVENT_BYTES_DROPPED(
      "coxswain_cache_event_bytes_dropped_total{cache}",
      "Bytes of JSON of the objects that the replica does not keep."),
  CACHE_LISTED(
      "coxswain_cache_listed_total{cache}",
      "Objects of lists that an informer received, kept or not."),
  CACHE_LISTED_BYTES("coxswain_cache_listed_bytes_total{cache}", "Bytes of JSON of these objects."),
  CACHE_WATCH_RANGES(
      "coxswain_cache_watch_ranges{cache}",
      "Ranges of hashes of namespaces that the watch of an informer asks for; 0 for everything."),
  CACHE_WATCH_SELECTED(
      "coxswain_cache_watch_selected{cache}",
      "1 when the API server selects what the watch of an informer receives, as far as it has shown."),
  CACHE_UNDECODABLE(
      "coxswain_cache_undecodable_total{cache}",
      "Reads of a cache that found an object that does not fit its class, and objects that were "
          + "skipped because a transform threw."),
  CONNECTIONS_REFUSED(
      "coxswain_http_connections_refused_total{server,reason}",
      "Connections that were closed to keep a limit: address, unknown, total or slow."),
  LOGINS_FAILED(
      "coxswain_admin_logins_failed_total{reason}",
      "Requests to the admin API that were not authenticated: missing, malformed, "
          + "rejected or limited."),
  AUDIT_FAILURES(
      "coxswain_audit_failures_total",
      "Audit records that could not be written; the change of such an intent was refused."),
  HISTORY_FAILURES(
      "coxswain_history_failures_total",
      "Writes of finished operations and audit records to the ConfigMap that failed; they are "
          + "retried."),
  HISTORY_WAITING(
      "coxswain_history_waiting_entries",
      "Finished operations and audit records that are not in the ConfigMap yet; 0 within a minute "
          + "is normal."),
  CERTIFICATE_START(
      "coxswain_certificate_not_before_timestamp_seconds{server}",
      "When the validity of the certificate of a server began, in seconds since 1970."),
  CERTIFICATE_END(
      "coxswain_certificate_not_after_timestamp_seconds{server}",
      "When the certificate of a server expires, in seconds since 1970."),
  LOG_DROPPED(
      "coxswain_log_lines_dropped_total",
      "Log lines that were dropped because the output was blocked."),
  SPANS(
      "coxswain_trace_spans_total{result}",
      "Spans by what became of them: exported, failed (the collector did not accept them) or "
          + "dropped (the queue was full)."),
  SERIES_REFUSED(
      "coxswain_metrics_series_refused_total",
      "Series that were refused because their meter has 5000 of them; 0 is normal."),
  CACHE_INDEX_FAILURES(
      "coxswain_cache_index_failures_total{cache}",
      "Objects that an index could not take, since they do not fit their class or its function "
          + "threw; queries of that index fail until it can."),
  CARRIER_WAIT(
      "coxswain_carrier_wait_seconds",
      "The time for which a virtual thread waits for a carrier, or the last one has; normally below a"
          + " millisecond."),
  CONFIG_SUCCESSFUL(
      "coxswain_config_last_reload_successful",
      "1 when the current file of the configuration is in use, 0 when it was rejected."),
  CONFIG_LOADED(
      "coxswain_config_last_reload_success_timestamp_seconds",
      "When the configuration in use was loaded, in seconds since 1970."),
  CONFIG_RELOADS(
      "coxswain_config_reloads_total{result}",
      "Changed files of the configuration by result: used or rejected."),
  CONFIG_RESTART(
      "coxswain_config_restart_needed_keys",
      "Keys of the configuration whose values in the file need a restart."),
  BUILD_INFO("coxswain_build_info{version,java}", "Always 1.");

  /**
   * The meters that exist only with {@code sharedLimiter.enabled}, {@code tracing.enabled} or a
   * server with TLS.
   */
  public static final Set<Meters> OPTIONAL;

  static {
    Set<Meters> optional = EnumSet.range(DEGRADED, MAJORITY);
    optional.addAll(Set.of(SPANS, CERTIFICATE_START, CERTIFICATE_END));
    OPTIONAL = Collections.unmodifiableSet(optional);
  }

  /** The kind of a meter. */
  public enum Kind {
    /** Only increases. */
    COUNTER,
    /** Increases and decreases. */
    GAUGE,
    /** Counts observations by size. */
    HISTOGRAM
  }

  private final String id;
  private final Kind kind;
  private final String help;
  private final String labels;

  /** A meter whose name ends in {@code _total}, as that of every counter does, or a gauge. */
  Meters(String spec, String help) {
    this(spec.contains("_total") ? Kind.COUNTER : Kind.GAUGE, spec, help);
  }

  /**
   * A meter.
   *
   * @param spec its name and labels in the notation of Prometheus, without values
   */
  Meters(Kind kind, String spec, String help) {
    int labels = spec.indexOf('{');
    this.id = labels < 0 ? spec : spec.substring(0, labels);
    this.kind = kind;
    this.help = help;
    this.labels = labels < 0 ? "" : spec.substring(labels + 1, spec.length() - 1);
  }

  /** Returns the name of the family. */
  public String id() {
    return id;
  }

  /** Returns its kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns its description. */
  public String help() {
    return help;
  }

  /** Returns its labels, in order. */
  public List<String> labels() {
    return labels.isEmpty() ? List.of() : List.of(labels.split(",", -1));
  }

  /** Returns the tags of a series: a value for each label. */
  Tags tags(String... values) {
    List<String> labels = labels();
    if (values.length != labels.size()) {
      throw new IllegalArgumentException(id + " needs a value for each of " + labels);
    }
    List<Tag> tags = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      tags.add(Tag.of(labels.get(i), values[i]));
    }
    return Tags.of(tags);
  }

  Counter counter(MeterRegistry registry, String... values) {
    return Counter.builder(id).tags(tags(values)).description(help).register(registry);
  }

  /** Registers a counter that reads its value; the state is held weakly. */
  <T> void counter(MeterRegistry registry, T state, ToDoubleFunction<T> read, String... values) {
    FunctionCounter.builder(id, state, read)
        .tags(tags(values))
        .description(help)
        .register(registry);
  }

  Timer timer(MeterRegistry registry, Duration[] buckets, String... values) {
    return Timer.builder(id)
        .tags(tags(values))
        .description(help)
        .serviceLevelObjectives(buckets)
        .register(registry);
  }

  Gauge gauge(MeterRegistry registry, Supplier<Number> value, String... values) {
    return Gauge.builder(id, value)
        .tags(tags(values))
        .description(help)
        .strongReference(true)
        .register(registry);
  }
}
