// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.host.internal.tracing.TracingSettings;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.sharding.internal.membership.Membership;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a host, loaded by {@link ConfigurationLoader}.
 *
 * <p>Thread rule: immutable.
 *
 * @param replicaName the name of this replica
 * @param drainLimit the time for running attempts to end when the host stops; this,
 *     {@code exhaustedLimit} and {@code carrierWaitLimit} are cut to 73 years
 * @param logging the log format and levels
 * @param admin the admin API
 * @param metrics the metrics port
 * @param health the address of the probes
 * @param exhaustedLimit the time after which a controller with exhausted workers makes the liveness
 *     probe fail; zero for never
 * @param carrierWaitLimit the time for which virtual threads may wait for a carrier before the
 *     liveness probe fails; zero for no limit
 * @param kubernetes the API server
 * @param membership the Leases of the replicas and the slots that they divide
 * @param sharedLimiter the limiters that replicas share
 * @param changes the rules for changes through the admin API
 * @param webhooks the webhook server
 * @param plugins the folder of plug-ins
 * @param tracing the traces of attempts
 * @param controllers the settings of single controllers, by name
 * @param limiters the limiters, by name; always contains {@code default}
 */
@RecordBuilder
public record CoxswainConfiguration(
    String replicaName,
    Duration drainLimit,
    Logging logging,
    AdminSettings admin,
    MetricsSettings metrics,
    Listener health,
    Duration exhaustedLimit,
    Duration carrierWaitLimit,
    Kubernetes kubernetes,
    Membership membership,
    SharedLimiter sharedLimiter,
    ChangeSettings changes,
    WebhookSettings webhooks,
    PluginSettings plugins,
    TracingSettings tracing,
    Map<String, ControllerSettings> controllers,
    Map<String, Limiter> limiters)
    implements CoxswainConfigurationBuilder.With {

  /** The {@code apiVersion} of the file. */
  public static final String API_VERSION = "config.coxswain.dev/v1alpha1";

  /** The {@code kind} of the file. */
  public static final String KIND = "CoxswainConfiguration";

  /** The address that only this machine reaches. */
  public static final String LOOPBACK = "127.0.0.1";

  /** The default port of the metrics. */
  public static final int DEFAULT_METRICS_PORT = 8080;

  /** The default port of the probes. */
  public static final int DEFAULT_HEALTH_PORT = 8081;

  /** The default port of the admin API. */
  public static final int DEFAULT_ADMIN_PORT = 8090;

  /** The default drain limit. */
  public static final Duration DEFAULT_DRAIN_LIMIT = ControllerRuntime.DEFAULT_DRAIN_LIMIT;

  /** The default limit of the wait for a carrier. */
  public static final Duration DEFAULT_CARRIER_WAIT_LIMIT = Duration.ofMinutes(1);

  /** The time for the Hazelcast member to migrate its data and leave. */
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(10);

  private static final Duration LEAST_LEAVE_LIMIT = Duration.ofSeconds(1);

  public CoxswainConfiguration {
    drainLimit = dev.coxswain.internal.time.Durations.clamp(drainLimit);
    exhaustedLimit = dev.coxswain.internal.time.Durations.clamp(exhaustedLimit);
    carrierWaitLimit = dev.coxswain.internal.time.Durations.clamp(carrierWaitLimit);
    controllers = Map.copyOf(controllers);
    limiters = Map.copyOf(limiters);
  }

  /** Returns the settings of a controller, which may be empty. */
  public ControllerSettings controller(String name) {
    return controllers.getOrDefault(name, ControllerSettings.NONE);
  }

  /**
   * Returns the namespaces that a controller watches, an empty set for all.
   *
   * @param selected those that {@code kubernetes.watchNamespaceSelector} selects
   * @return empty when it watches these, and there are none
   */
  public Optional<Set<String>> watchNamespaces(
      String controller, Supplier<Optional<Set<String>>> selected) {
    Set<String> own = controller(controller).watchNamespaces();
    if (own.isEmpty() && !kubernetes.watchNamespaceSelector().isEmpty()) {
      return selected.get();
    }
    return Optional.of(own.isEmpty() ? kubernetes.watchNamespaces() : own);
  }

  /**
   * Returns the options of the Hazelcast member of the shared limiter.
   *
   * @throws IllegalArgumentException naming the key of the configuration
   */
  public MemberOptions memberOptions() {
    Duration stopLimit = drainLimit.compareTo(LEAVE_LIMIT) < 0 ? drainLimit : LEAVE_LIMIT;
    return sharedLimiter.memberOptions(
        replicaName,
        membership,
        stopLimit.compareTo(LEAST_LEAVE_LIMIT) < 0 ? LEAST_LEAVE_LIMIT : stopLimit);
  }

  /**
   * A server's address.
   *
   * @param host the address to listen on
   * @param port the port, 0 for any free one
   */
  public record Listener(String host, int port) {}

  /**
   * The log settings.
   *
   * @param format text or JSON
   * @param level the lowest level that is logged
   * @param levels other levels for single loggers, by name
   */
  public record Logging(Format format, Level level, Map<String, Level> levels) {

    public Logging {
      levels = Map.copyOf(levels);
    }

    /** The shape of a log line. */
    public enum Format {
      /** One readable line. */
      TEXT,
      /** One JSON object per line. */
      JSON
    }

    /** The log levels. */
    public enum Level {
      /** Details of the work of the host. */
      TRACE,
      /** Also single items. */
      DEBUG,
      /** Changes of state. */
      INFO,
      /** Conditions that may need attention. */
      WARN,
      /** Failures. */
      ERROR
    }
  }

  /**
   * Which API server to use: the current context of a file, or the cluster that the process runs in
   * when no file is given.
   *
   * @param kubeconfig a kubeconfig file, or null
   * @param watchNamespaces the namespaces that controllers watch, empty for all
   * @param watchNamespaceSelector the labels of the namespaces that controllers watch, empty for no
   *     selection; then there are no names
   * @param clusters the kubeconfig files of further clusters for the controllers, by name
   */
  public record Kubernetes(
      @Nullable String kubeconfig,
      Set<String> watchNamespaces,
      String watchNamespaceSelector,
      Map<String, String> clusters) {

    public Kubernetes {
      watchNamespaces = Set.copyOf(watchNamespaces);
      clusters = Map.copyOf(clusters);
    }

    /** Creates the settings of a host that watches all namespaces of one cluster. */
    public Kubernetes(String kubeconfig) {
      this(kubeconfig, Set.of(), "", Map.of());
    }

    /** Returns the same for another file. */
    public Kubernetes withKubeconfig(String file) {
      return new Kubernetes(file, watchNamespaces, watchNamespaceSelector, clusters);
    }
  }

  /**
   * A limiter.
   *
   * @param rate retries per second
   * @param burst the largest number of retries at once
   * @param maxRate the largest rate that an override at run time may set
   * @param maxBurst the largest burst that an override at run time may set
   */
  public record Limiter(double rate, int burst, double maxRate, int maxBurst) {

    /** Creates a limiter that cannot be raised at run time. */
    public Limiter(double rate, int burst) {
      this(rate, burst, rate, burst);
    }

    /** Returns the specification for the shared limiter. */
    public LimiterSpec spec(String name) {
      return new LimiterSpec(name, rate, burst, maxRate, maxBurst);
    }
  }
}
