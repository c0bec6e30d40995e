// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import dev.coxswain.admin.spi.AdminTelemetry;
import dev.coxswain.admin.spi.AdminTelemetry.FailedLogin;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.http.internal.ConnectionRefusal;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import dev.coxswain.sharding.internal.view.SlotStatistics;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * All meters of one host in one Prometheus registry.
 *
 * <p>Thread rule: any thread.
 */
public final class HostMetrics implements AutoCloseable {

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  /** The type of pools of connections in the meters of Vert.x. */
  private static final String CONNECTIONS = "http";

  /** The objects that counters read, so that they are not collected. */
  private final List<LongSupplier> counted = new CopyOnWriteArrayList<>();

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private volatile DoubleSupplier droppedLines = () -> 0;
  private final JvmGcMetrics garbage = new JvmGcMetrics();

  /**
   * Creates the registry with the meters of the process.
   *
   * @param version the version of this build
   */
  public HostMetrics(String version) {
    // A pool of connections is named after the address of another replica; those change for ever.
    registry
        .config()
        .meterFilter(MeterFilter.deny(id -> CONNECTIONS.equals(id.getTag("pool_type"))));
    SeriesGuard guard = SeriesGuard.of(registry);
    Meters.SERIES_REFUSED.counter(registry, guard, SeriesGuard::refused);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    garbage.bindTo(registry);
    ProcessMetrics.builder().register(registry.getPrometheusRegistry());
    // Micrometer takes the "_info" off the name of a gauge.
    Info.builder()
        .name(Meters.BUILD_INFO.id())
        .help(Meters.BUILD_INFO.help())
        .labelNames(Meters.BUILD_INFO.labels().toArray(String[]::new))
        .register(registry.getPrometheusRegistry())
        .setLabelValues(version, String.valueOf(Runtime.version().feature()));
  }

  /** Returns the registry, for further meters. */
  public MeterRegistry registry() {
    return registry;
  }

  /**
   * Creates the meters of a controller.
   *
   * @param controller its name
   * @param handle returns the running controller, or null
   * @param conditions its standing problems
   * @return the telemetry of the controller
   */
  public ControllerTelemetry controller(
      String controller, Supplier<@Nullable ControllerHandle> handle, Conditions conditions) {
    for (ConditionType type : ConditionType.values()) {
      gauge(Meters.CONDITION, () -> conditions.has(type) ? 1 : 0, controller, type.label());
    }
    for (Phase phase : Phase.values()) {
      queue(Meters.ITEMS, handle, queue -> queue.in(phase), controller, phase.label());
    }
    queue(Meters.QUEUE_DEPTH, handle, QueueSnapshot::ready, controller, controller, "");
    queue(Meters.FAILING, handle, QueueSnapshot::failing, controller);
    Meters.TERMINAL_EVICTED.counter(
        registry, handle, of -> read(of, one -> one.snapshot().terminalEvicted()), controller);
    queue(Meters.OVERDUE, handle, QueueSnapshot::overdue, controller);
    queue(Meters.OLDEST_READY, handle, q -> seconds(q.oldestReadyNanos()), controller);
    queue(Meters.UNFINISHED_WORK, handle, q -> seconds(q.inFlightNanos()), controller, controller);
    queue(
        Meters.LONGEST_RUNNING,
        handle,
        q -> seconds(q.longestInFlightNanos()),
        controller,
        controller);
    status(Meters.ACTIVE_WORKERS, handle, ControllerStatus::activeWorkers, controller);
    status(Meters.MAX_CONCURRENT, handle, ControllerStatus::concurrency, controller);
    status(Meters.OVERDUE_LIMIT, handle, ControllerStatus::overdueLimit, controller);
    status(Meters.PAUSED, handle, status -> status.pause() == null ? 0 : 1, controller);
    status(Meters.PAUSED_CAUSES, handle, status -> status.pausedCauses().size(), controller);
    gauge(Meters.CONTROLLER_UP, () -> handle.get() == null ? 0 : 1, controller);
    return new MicrometerTelemetry(registry, controller);
  }

  /** Creates the meter of the wait for carriers. */
  public void carriers(Supplier<Duration> wait) {
    gauge(Meters.CARRIER_WAIT, () -> seconds(wait.get().toNanos()));
  }

  /** Returns the registry of a controller for meters of its own. */
  public ControllerMeters ownMeters(String controller) {
    return new ControllerMeters(controller, registry);
  }

  /** Removes the meters of a controller, which refer to it, from {@link #controller} and the others. */
  public void removeController(String controller) {
    for (Meter meter : registry.getMeters()) {
      boolean leader = meter.getId().getName().equals(Meters.LEADER.id());
      if (controller.equals(meter.getId().getTag(leader ? "name" : "controller"))) {
        registry.remove(meter);
      }
    }
  }

  /**
   * Creates the meters of the ownership of a controller.
   *
   * @param controller its name
   * @param unowned the time without an owner, zero while it has one
   */
  public void owner(String controller, Supplier<Duration> unowned) {
    gauge(Meters.CONTROLLER_OWNER, () -> unowned.get().isZero() ? 1 : 0, controller);
    gauge(Meters.CONTROLLER_UNOWNED, () -> seconds(unowned.get().toNanos()), controller);
  }

  /**
   * Creates the meters of a webhook.
   *
   * @param path its path
   */
  public WebhookMetrics webhook(String path) {
    return new WebhookMetrics(registry, path);
  }

  /** Creates the counter of failed starts of a controller, and returns its increment. */
  public Runnable startFailures(String controller) {
    return Meters.START_FAILURES.counter(registry, controller)::increment;
  }

  /**
   * Creates the counters of the connections that a server refuses.
   *
   * @param server its name
   * @return counts a connection
   */
  public Consumer<ConnectionRefusal> refusedConnections(String server) {
    Map<ConnectionRefusal, Counter> counters = new EnumMap<>(ConnectionRefusal.class);
    for (ConnectionRefusal reason : ConnectionRefusal.values()) {
      counters.put(reason, Meters.CONNECTIONS_REFUSED.counter(registry, server, reason.label()));
    }
    return reason -> Objects.requireNonNull(counters.get(reason)).increment();
  }

  /** Creates the meters of the admin API. */
  public AdminTelemetry admin() {
    Consumer<ConnectionRefusal> refused = refusedConnections("admin");
    Map<FailedLogin, Counter> logins = new EnumMap<>(FailedLogin.class);
    for (FailedLogin why : FailedLogin.values()) {
      logins.put(why, Meters.LOGINS_FAILED.counter(registry, why.label()));
    }
    Counter audit = Meters.AUDIT_FAILURES.counter(registry);
    return new AdminTelemetry() {
      @Override
      public void connectionRefused(ConnectionRefusal why) {
        refused.accept(why);
      }

      @Override
      public void loginFailed(FailedLogin why) {
        Objects.requireNonNull(logins.get(why)).increment();
      }

      @Override
      public void auditFailed() {
        audit.increment();
      }
    };
  }

  /** Creates the counter of failed writes of the history; returns what adds one. */
  public Runnable historyFailures() {
    return Meters.HISTORY_FAILURES.counter(registry)::increment;
  }

  /**
   * Creates the meter of the history.
   *
   * @param waiting the number of entries that are not stored yet
   */
  public void history(Supplier<Number> waiting) {
    gauge(Meters.HISTORY_WAITING, waiting);
  }

  /**
   * Creates the meter of the log.
   *
   * @param dropped how many lines were dropped since the start
   */
  public void log(DoubleSupplier dropped) {
    droppedLines = dropped; // a counter holds its state weakly
    Meters.LOG_DROPPED.counter(registry, this, of -> of.droppedLines.getAsDouble());
  }

  /**
   * Creates a counter of spans by what became of them.
   *
   * @return adds to it
   */
  public LongConsumer spans(String result) {
    return Meters.SPANS.counter(registry, result)::increment;
  }

  /** Returns the meters of limiters. */
  public LimiterMetrics limiters() {
    return new LimiterMetrics(registry);
  }

  /**
   * Creates the meters of replica Leases.
   *
   * @param leases the state of the replica Leases
   * @param fenced how many expired Leases of others this replica has released
   */
  public void membership(Supplier<ReplicaLeaseStatus> leases, LongSupplier fenced) {
    counter(Meters.REPLICA_LEASES_FENCED, fenced);
    gauge(Meters.REPLICA_ORDINAL, () -> leases.get().ordinal().orElse(-1));
    gauge(Meters.REPLICA_LEASE_ACTING, () -> leases.get().acting() ? 1 : 0);
    gauge(Meters.REPLICA_LEASES_HELD, () -> leases.get().taken().size());
  }

  /**
   * Creates the meters of slots.
   *
   * @param figures the figures of now
   * @param rejected whether this replica does not accept the slot map
   * @param refused how many writes were refused
   */
  public void slots(
      Supplier<SlotStatistics> figures, BooleanSupplier rejected, LongSupplier refused) {
    gauge(Meters.SLOT_MAP_REJECTED, () -> rejected.getAsBoolean() ? 1 : 0);
    counter(Meters.WRITES_REFUSED, refused);
    gauge(Meters.SLOTS, () -> figures.get().free(), "free");
    gauge(Meters.SLOTS, () -> figures.get().owned(), "owned");
    gauge(Meters.SLOTS, () -> figures.get().draining(), "draining");
    for (Stage stage : Stage.values()) {
      gauge(Meters.SLOTS_HELD, () -> figures.get().held().getOrDefault(stage, 0), label(stage));
    }
    for (SlotStatistics.Move move : SlotStatistics.Move.values()) {
      Meters.SLOT_MOVES.counter(
          registry, figures, of -> of.get().moves().getOrDefault(move, 0L), label(move));
    }
    gauge(Meters.SLOT_UNOWNED, () -> seconds(figures.get().unownedNanos()));
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Creates the meters of all informers.
   *
   * @param caches their state, read at every scrape
   * @param clock the current time
   */
  public void caches(Supplier<List<CacheStatus>> caches, Clock clock) {
    registry.getPrometheusRegistry().register(new CacheMetrics(caches, clock));
  }

  /**
   * Creates the meters of the certificates of this replica.
   *
   * @param served the certificate of each server that has one, read at every scrape
   */
  public void certificates(Supplier<Map<String, X509Certificate>> served) {
    registry.getPrometheusRegistry().register(new CertificateMetrics(served));
  }

  /**
   * Creates the meters of the requests to an API server.
   *
   * @param host the address of the server, without a path
   * @param cluster the name of the cluster, empty for that of the host
   * @return the interceptor of requests
   */
  public RestClientMetrics restClient(String host, String cluster) {
    return new RestClientMetrics(registry, host, cluster);
  }

  /**
   * Creates the meter of the leader of a controller that one replica runs.
   *
   * @param name the name of the controller
   * @param leading whether this replica owns it now
   */
  public void leader(String name, BooleanSupplier leading) {
    gauge(Meters.LEADER, () -> leading.getAsBoolean() ? 1 : 0, name);
  }

  /**
   * Renders all meters. Slow with many controllers: not on an event loop.
   *
   * @param accept the Accept header of the request, or null
   */
  public Rendered scrape(@Nullable String accept) {
    String contentType =
        accept != null && accept.contains("application/openmetrics-text")
            ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
            : "text/plain; version=0.0.4; charset=utf-8";
    return new Rendered(contentType, registry.scrape(contentType));
  }

  /**
   * A rendered scrape.
   *
   * @param contentType its format
   * @param text the metrics
   */
  public record Rendered(String contentType, String text) {}

  @Override
  public void close() {
    garbage.close();
    registry.close();
  }

  private void queue(
      Meters meter,
      Supplier<@Nullable ControllerHandle> handle,
      ToDoubleFunction<QueueSnapshot> value,
      String... labels) {
    gauge(meter, () -> read(handle, one -> value.applyAsDouble(one.snapshot())), labels);
  }

  private void status(
      Meters meter,
      Supplier<@Nullable ControllerHandle> handle,
      ToDoubleFunction<ControllerStatus> value,
      String... labels) {
    gauge(meter, () -> read(handle, one -> value.applyAsDouble(one.status())), labels);
  }

  /** Returns a value of a controller, 0 while it does not run. */
  private static double read(
      Supplier<@Nullable ControllerHandle> handle, ToDoubleFunction<ControllerHandle> value) {
    ControllerHandle running = handle.get();
    return running == null ? 0 : value.applyAsDouble(running);
  }

  private void counter(Meters meter, LongSupplier value) {
    counted.add(value); // a counter holds it weakly
    meter.counter(registry, value, LongSupplier::getAsLong);
  }

  private void gauge(Meters meter, Supplier<Number> value, String... labels) {
    meter.gauge(registry, value, labels);
  }

  private static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }
}
