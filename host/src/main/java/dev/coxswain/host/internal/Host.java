// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.internal.options.NoticeSink;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.AuditSink;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.admin.AdminComponent;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.controllers.ConfigMapPauseStore;
import dev.coxswain.host.internal.controllers.ControllerManager;
import dev.coxswain.host.internal.controllers.SelectedNamespaces;
import dev.coxswain.host.internal.events.ClusterEventWriter;
import dev.coxswain.host.internal.events.KubernetesEvents;
import dev.coxswain.host.internal.history.ConfigMapHistoryStore;
import dev.coxswain.host.internal.http.PlainHttpServer;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.lifecycle.Group;
import dev.coxswain.host.internal.lifecycle.Lifecycle;
import dev.coxswain.host.internal.lifecycle.StartTimeline;
import dev.coxswain.host.internal.limiter.RetryBudgets;
import dev.coxswain.host.internal.limiter.SharedBudgets;
import dev.coxswain.host.internal.logging.LogOutput;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.plugins.PluginManager;
import dev.coxswain.host.internal.probes.CarrierWatchdog;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.host.internal.probes.EventLoopHeartbeat;
import dev.coxswain.host.internal.probes.EventLoopWatchdog;
import dev.coxswain.host.internal.probes.ProbeRoute;
import dev.coxswain.host.internal.probes.ReplicaConditions;
import dev.coxswain.host.internal.reload.ConfigurationFile;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.host.internal.webhooks.WebhookComponent;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.callback.CallbackServer;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.replica.SlotComponent;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica: its components, started in order and stopped in reverse.
 *
 * <p>Thread rule: any thread.
 */
public final class Host {

  private static final Logger LOG = LoggerFactory.getLogger(Host.class);

  /** The generation of replicas without a shared limiter. */
  private static final String NO_LIMITER = "none";

  /** The time in addition to the drain limit in which a group must stop. */
  private static final Duration SPARE = Duration.ofSeconds(5);

  private final CoxswainConfiguration configuration;
  private final HostMetrics metrics;
  private final EventLoops loops;
  private final Readiness readiness;
  private final Lifecycle lifecycle;
  private final ControllerManager manager;
  private final @Nullable PluginManager plugins;
  private final PlainHttpServer health;
  private final PlainHttpServer metricsServer;
  private final AdminComponent admin;
  private final ReplicaMembership membership;
  private final @Nullable SharedBudgets shared;
  private final RetryBudgets budgets;
  private final ReloadSetup reload;
  private @Nullable Future<Void> stopped;

  /**
   * Creates a replica, which does not run yet.
   *
   * @param configuration its configuration
   * @param definitions the controllers
   * @param kubernetes access to the API server, closed at the end
   * @param metrics the meters, closed at the end
   * @param clock the current time
   */
  public Host(
      CoxswainConfiguration configuration,
      List<ControllerDefinition> definitions,
      Kubernetes kubernetes,
      HostMetrics metrics,
      Clock clock) {
    this(configuration, definitions, kubernetes, metrics, AuditSink.logger(), Tracing.OFF, clock);
  }

  /**
   * Creates a replica, which does not run yet.
   *
   * @param configuration its configuration
   * @param definitions the controllers
   * @param kubernetes access to the API server, closed at the end
   * @param metrics the meters, closed at the end
   * @param audit the sink of audit records
   * @param tracing the traces of attempts, closed at the end
   * @param clock the current time
   */
  public Host(
      CoxswainConfiguration configuration,
      List<ControllerDefinition> definitions,
      Kubernetes kubernetes,
      HostMetrics metrics,
      AuditSink audit,
      Tracing tracing,
      Clock clock) {
    this.configuration = configuration;
    this.metrics = metrics;
    loops = EventLoops.create(metrics);
    Vertx controllers = loops.controllers();
    Vertx vertx = loops.host();
    lifecycle = new Lifecycle(vertx, configuration.drainLimit().plus(SPARE));
    membership =
        new ReplicaMembership(
            configuration.membership(),
            configuration.replicaName(),
            configuration.sharedLimiter().enabled()
                ? configuration.memberOptions().generationName()
                : NO_LIMITER,
            kubernetes,
            clock);
    metrics.membership(membership::status, membership.leases()::fenced);
    shared =
        configuration.sharedLimiter().enabled()
            ? new SharedBudgets(configuration, vertx, membership, metrics)
            : null;
    budgets = shared == null ? RetryBudgets.local(configuration, clock) : shared.budgets();
    reload = new ReloadSetup(configuration, shared, metrics, clock);
    SlotComponent slots =
        new SlotComponent(
            membership, kubernetes, Version.text(), configuration.drainLimit(), clock);
    WebhookComponent webhooks =
        new WebhookComponent(
            vertx, controllers, configuration, definitions, kubernetes, metrics, clock);
    manager =
        new ControllerManager(
            controllers,
            vertx,
            configuration,
            definitions,
            Map.of(
                Kubernetes.class,
                kubernetes,
                Vertx.class,
                controllers,
                CallbackServer.class,
                webhooks.callbacks()),
            budgets,
            slots.share(),
            metrics,
            tracing,
            clock);
    plugins =
        configuration.plugins().directory() == null
            ? null
            : new PluginManager(
                vertx,
                configuration,
                manager,
                webhooks.plugins(),
                definitions.stream()
                    .map(ControllerDefinition::name)
                    .collect(Collectors.toUnmodifiableSet()),
                clock);
    metrics.caches(kubernetes::caches, clock);
    metrics.slots(
        () -> slots.view().statistics(),
        () -> !slots.view().rejected().isEmpty(),
        slots::refusedWrites);
    ConfigMapPauseStore pauses =
        configuration.changes().pauses().enabled()
            ? new ConfigMapPauseStore(
                vertx,
                kubernetes,
                configuration.changes().pauses(),
                manager::controllers,
                message -> manager.condition(ConditionType.PAUSES_UNKNOWN, message),
                clock)
            : null;
    if (pauses != null) {
      manager.follow(pauses);
    }
    SelectedNamespaces namespaces =
        new SelectedNamespaces(
            vertx,
            kubernetes,
            configuration.kubernetes().watchNamespaceSelector(),
            message -> manager.condition(ConditionType.NAMESPACES_UNKNOWN, message),
            manager::namespacesChanged,
            clock);
    manager.follow(namespaces);
    ReplicaConditions conditions =
        new ReplicaConditions(
            vertx,
            configuration.replicaName(),
            server(kubernetes),
            kubernetes.clusters().stream()
                .collect(
                    Collectors.toMap(
                        Function.identity(), name -> server(kubernetes.cluster(name)))),
            () -> slots.view().own().phase(),
            manager::condition,
            clock);
    ConfigMapHistoryStore history =
        configuration.changes().history().enabled()
            ? new ConfigMapHistoryStore(
                vertx,
                kubernetes,
                configuration.changes().history(),
                clock,
                metrics.historyFailures())
            : null;
    if (history != null) {
      metrics.history(history::waiting);
    }
    NoticeSink notices =
        configuration.changes().events().enabled()
            ? new ClusterEventWriter(KubernetesEvents.of(configuration, kubernetes), vertx, clock)
            : NoticeSink.NONE;
    admin =
        new AdminComponent(
            vertx,
            configuration.admin(),
            AdminOptions.DEFAULT
                .withChanges(configuration.changes().policy(configuration.controllers()))
                .withNotices(notices),
            new AdminDirectory(
                manager,
                membership,
                new AdminSlots(slots),
                shared,
                pauses,
                history,
                plugins,
                reload::status,
                conditions::all,
                kubernetes::caches),
            kubernetes,
            new AdminPorts(audit, metrics.admin()),
            clock);
    if (audit instanceof LogOutput log) {
      metrics.log(log::dropped);
    }
    CarrierWatchdog carriers =
        new CarrierWatchdog(clock, configuration.carrierWaitLimit(), manager::watched);
    metrics.carriers(carriers::carrierWait);
    readiness =
        new Readiness(
            manager::states,
            new ReplicaChecks(
                () -> slots.readiness(manager.needsSlots()),
                List.of(
                    admin::checks,
                    this::metricsChecks,
                    webhooks::checks,
                    reload::checks,
                    carriers::ready,
                    shared == null
                        ? () -> List.of(ReplicaChecks.lease(membership.problem()))
                        : shared::checks),
                kubernetes),
            lifecycle::waiting,
            plugins != null,
            clock);
    EventLoopHeartbeat pulse =
        new EventLoopHeartbeat("event-loops", controllers, loops.controllerLoops(), clock);
    EventLoopHeartbeat hostPulse =
        new EventLoopHeartbeat("host-event-loops", vertx, EventLoops.HOST_LOOPS, clock);
    Liveness liveness =
        new Liveness(
            List.of(pulse::checks, hostPulse::checks, carriers::alive),
            manager::exhausted,
            configuration.exhaustedLimit());
    health =
        new PlainHttpServer(
            vertx,
            "health",
            configuration.health(),
            Map.of(
                "/livez", new ProbeRoute("livez", liveness::alive),
                "/healthz", new ProbeRoute("healthz", liveness::alive),
                "/readyz", new ProbeRoute("readyz", readiness::ready),
                "/startupz", new ProbeRoute("startupz", readiness::started)),
            null,
            metrics.refusedConnections("health"));
    metricsServer =
        new PlainHttpServer(
            vertx,
            "metrics",
            configuration.metrics().listener(),
            Map.of(
                MetricsRoutes.PATH,
                MetricsRoutes.of(vertx, metrics, configuration, kubernetes, clock)),
            configuration.metrics().tls(),
            metrics.refusedConnections("metrics"));
    metrics.certificates(
        () -> certificates(admin.served(), metricsServer.served(), webhooks.served()));
    // In the first group: closed when no attempt runs any more.
    lifecycle.add(
        Group.HTTP, Component.closed("tracing", vertx, Future::succeededFuture, tracing::close));
    lifecycle.add(Group.HTTP, pulse);
    lifecycle.add(Group.HTTP, hostPulse);
    lifecycle.add(Group.HTTP, new EventLoopWatchdog(pulse, hostPulse, clock, manager::watched));
    lifecycle.add(Group.HTTP, carriers);
    lifecycle.add(Group.HTTP, conditions);
    lifecycle.add(Group.HTTP, health);
    lifecycle.add(Group.HTTP, metricsServer);
    lifecycle.addBeside(
        Group.HTTP,
        Component.of(
            admin.name(),
            () -> admin.start().onSuccess(_ -> membership.announceAdmin(announcedAdmin())),
            admin::stop));
    lifecycle.add(
        Group.CACHES,
        Component.closed(
            "kubernetes",
            vertx,
            history == null ? Future::succeededFuture : history::stop,
            kubernetes::close));
    lifecycle.add(Group.CACHES, namespaces);
    lifecycle.add(Group.CACHES, webhooks);
    if (pauses != null) {
      // Until they are known every controller is paused.
      lifecycle.addBeside(Group.CACHES, pauses);
    }
    lifecycle.add(
        Group.MEMBERSHIP, Component.of("membership", membership::start, membership::stop));
    if (shared != null) {
      lifecycle.add(Group.LIMITER, shared);
    }
    if (plugins != null) {
      lifecycle.add(Group.PLUGINS, plugins);
    }
    lifecycle.add(Group.ALWAYS_ON, Component.of("controllers", manager::open, manager::close));
    // Read beside the start of the admin API, for which the slots wait.
    lifecycle.add(
        Group.ALWAYS_ON,
        Component.of("slot-map", () -> slots.open(manager.slotControllers()), slots::close));
    lifecycle.add(Group.OWNED, Component.of("slots", slots::start, slots::stop));
  }

  private static ReplicaConditions.Server server(Kubernetes kubernetes) {
    ApiTransport transport = KubernetesRuntime.of(kubernetes).transport();
    return new ReplicaConditions.Server(
        kubernetes.address(),
        () -> transport.answers() > 0 || hasCaches(kubernetes),
        transport::answers,
        transport::probe);
  }

  /** Returns whether a cluster has caches; those of the other clusters are a part of its own. */
  private static boolean hasCaches(Kubernetes kubernetes) {
    int others =
        kubernetes.clusters().stream()
            .mapToInt(name -> kubernetes.cluster(name).caches().size())
            .sum();
    return kubernetes.caches().size() > others;
  }

  /**
   * Loads what takes longest of a replica's creation, which may go on only when this has ended; for a
   * thread of its own, after the set-up of the logging.
   */
  public static void loadAhead() {
    EventLoops.loadAhead();
  }

  /**
   * Starts all components; completes when all groups have started. Controllers may still be syncing
   * then.
   */
  public Future<Void> start() {
    return lifecycle
        .start()
        .onSuccess(_ -> {
          readiness.groupsStarted();
          LOG.atInfo().addKeyValue("replica", configuration.replicaName()).log("host started");
        });
  }

  /**
   * Watches the file of the configuration, and changes what can change while the host runs; before
   * the start.
   *
   * @param file the file that the configuration is from
   * @param check checks changed configurations beyond their values, on a worker thread
   * @param levels changes the levels of loggers
   */
  public void reloads(
      ConfigurationFile file, ConfigurationFile.Check check, Consumer<Logging> levels) {
    lifecycle.add(Group.HTTP, reload.follow(loops.host(), file, check, budgets, manager, levels));
  }

  /** Records when components have started; before the start. */
  public void timedBy(StartTimeline timeline) {
    lifecycle.onStarted(timeline::mark);
  }

  /** Completes when the replica is ready. */
  public Future<Void> ready() {
    return readiness.await(loops.host());
  }

  /**
   * Stops all components; never fails, and completes within the drain limit plus 5 s for each
   * group.
   */
  public synchronized Future<Void> stop() {
    if (stopped == null) {
      LOG.atInfo().addKeyValue("replica", configuration.replicaName()).log("host stopping");
      readiness.stopping();
      manager.stopping();
      if (plugins != null) {
        plugins.stopping();
      }
      stopped =
          lifecycle
              .stop()
              .transform(_ -> loops.close().timeout(SPARE.toMillis(), TimeUnit.MILLISECONDS))
              .otherwiseEmpty()
              .onComplete(_ -> {
                metrics.close();
                LOG.atInfo()
                    .addKeyValue("replica", configuration.replicaName())
                    .log("host stopped");
              });
    }
    return stopped;
  }

  /** Returns the number of attempts that were abandoned by stopped controllers. */
  public int abandonedAttempts() {
    return manager.abandonedAttempts();
  }

  /** Returns the addresses of this replica; only after the start. */
  public ReplicaReport report() {
    return new ReplicaReport(
        configuration.replicaName(),
        admin.url(),
        metricsServer.url(),
        health.url(),
        configuration.sharedLimiter().enabled()
            ? configuration.membership().host() + ":" + configuration.sharedLimiter().port()
            : "",
        ProcessHandle.current().pid());
  }

  private List<Check> metricsChecks() {
    return metricsServer.checks();
  }

  private String announcedAdmin() {
    return admin.announced(configuration.membership().host());
  }

  private static Map<String, X509Certificate> certificates(
      @Nullable X509Certificate admin,
      @Nullable X509Certificate metrics,
      @Nullable X509Certificate webhooks) {
    Map<String, X509Certificate> served = new LinkedHashMap<>();
    if (admin != null) {
      served.put("admin", admin);
    }
    if (metrics != null) {
      served.put("metrics", metrics);
    }
    if (webhooks != null) {
      served.put("webhooks", webhooks);
    }
    return served;
  }
}
