// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.controllers.Definitions;
import dev.coxswain.host.internal.jvm.StartCache;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.lifecycle.StartTimeline;
import dev.coxswain.host.internal.logging.LoggingSetup;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.reload.ConfigurationFile;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.spi.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code coxswain run}: one replica in this process, with the controllers of the class path and of a source file.
 *
 * <p>Thread rule: the main thread.
 */
public final class RunCommand {

  public static final Flag CONFIG = Flag.of("--config", "FILE", "");
  public static final Flag SET = Flag.of("--set", "KEY=VALUE", "").repeated();

  /** What a replica of a development session prints before the name of a step that has ended. */
  public static final String STEP = "step: ";

  private static final Flag KUBECONFIG = Flag.of("--kubeconfig", "FILE", "");
  private static final Flag TIMELINE = Flag.alone("--start-timeline", "");

  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

  /** The time to stop in addition to draining; then the process ends. */
  private static final Duration SPARE = Duration.ofSeconds(10);

  private static final Duration DEV_SPARE = Duration.ofMillis(500);

  private static final String NO_CONTROLLERS =
      "no controllers to run: add jars with a ControllerDefinition to COXSWAIN_CLASSPATH, or enable"
          + " one in the configuration; not ready until then";

  private RunCommand() {}

  /**
   * Runs the command.
   *
   * @param devChild whether it is a replica of a development session
   */
  static int run(List<String> arguments, boolean devChild)
      throws HostException, ConfigurationException {
    Arguments parsed = Arguments.parse(arguments, List.of(CONFIG, KUBECONFIG, SET, TIMELINE));
    FileRun source = FileRun.of(parsed.words());
    try {
      return run(parsed, source, devChild);
    } catch (HostException | ConfigurationException | RuntimeException e) {
      if (source != null) {
        source.close();
      }
      throw e;
    }
  }

  private static int run(Arguments parsed, @Nullable FileRun source, boolean devChild)
      throws HostException, ConfigurationException {
    StartTimeline timeline = StartTimeline.ofProcess();
    if (devChild) {
      timeline.onStep(step -> System.out.println(STEP + step)); // "dev" waits for progress
    }
    timeline.mark("Java process");
    CompletableFuture<Void> client = loadAhead(KubernetesAccess::loadAhead);
    ConfigurationFile file = file(parsed);
    CoxswainConfiguration configuration =
        file != null
            ? file.configuration()
            : source != null
                ? source.configuration(parsed.all(SET))
                : ConfigurationLoader.load(null, System.getenv(), parsed.all(SET));
    timeline.mark("configuration");
    String kubeconfig = parsed.value(KUBECONFIG);
    if (kubeconfig == null && source != null && configuration.kubernetes().kubeconfig() == null) {
      kubeconfig = FileRun.kubeconfig();
    }
    if (kubeconfig != null) {
      configuration =
          configuration.withKubernetes(configuration.kubernetes().withKubeconfig(kubeconfig));
    }
    // The standard output of a child of "dev" carries only its steps and its report.
    LoggingSetup.apply(
        configuration.logging(),
        devChild ? LoggingSetup.Target.STDERR : LoggingSetup.Target.STDOUT);
    CompletableFuture<Void> loops = loadAhead(Host::loadAhead);
    List<ControllerDefinition> found = new ArrayList<>(Definitions.onClassPath());
    if (source != null) {
      found.addAll(source.definitions());
    }
    List<ControllerDefinition> definitions = Definitions.enabled(found, configuration);
    timeline.mark("logging, definitions of controllers");
    boolean none = definitions.isEmpty() && configuration.plugins().directory() == null;
    if (none && devChild) {
      throw new HostException(NO_CONTROLLERS); // "dev" waits for readiness
    }
    client.join();
    Host host = host(configuration, definitions, loops, timeline);
    if (file != null) {
      host.reloads(file, changed -> Definitions.enabled(found, changed), LoggingSetup::levels);
    }
    Duration limit = configuration.drainLimit().plus(devChild ? DEV_SPARE : SPARE);
    // Before the first log line: a signal then stops the host in order.
    Shutdown shutdown = Shutdown.install(() -> stop(host, limit, source));
    if (StartCache.refused()) {
      LOG.atWarn()
          .log(
              "the JVM rejects the start cache, so the start is slower than without one;"
                  + " -Xlog:aot in COXSWAIN_JAVA_OPTS shows the cause");
    }
    if (none) {
      LOG.atWarn().log(NO_CONTROLLERS);
    }
    if (devChild) {
      shutdown.whenInputEnds();
    }
    try {
      host.start().await();
      if (source != null) {
        CommandLine.printNotice(source.started(host.report().admin(), configuration));
      }
      if (parsed.has(TIMELINE)) {
        host.ready()
            .onSuccess(_ -> {
              timeline.mark("ready");
              System.err.print(timeline.table());
            });
      }
      if (devChild) {
        host.ready().await();
        System.out.println(host.report().toJson());
      }
    } catch (Throwable e) { // the cause of a failed start may be an Error
      if (shutdown.begun()) {
        return CommandLine.STILL_RUNNING; // stopped during the start; the hook does the rest
      }
      stop(host, limit, source);
      CommandLine.printFailure(e);
      return shutdown.ended(CommandLine.FAILED);
    }
    return CommandLine.STILL_RUNNING;
  }

  /**
   * Begins to load classes on a thread of its own. They may be used only when this has ended, so that
   * two threads never initialise them at once; a failure then occurs again and is reported.
   */
  private static CompletableFuture<Void> loadAhead(Runnable load) {
    return CompletableFuture.runAsync(
            load, task -> Thread.ofPlatform().daemon().name("coxswain-load").start(task))
        .exceptionally(_ -> null);
  }

  private static @Nullable ConfigurationFile file(Arguments parsed) throws ConfigurationException {
    String path = parsed.value(CONFIG);
    return path == null
        ? null
        : ConfigurationFile.read(Path.of(path), System.getenv(), parsed.all(SET));
  }

  /** Creates a replica with the controllers of the class path, which does not run yet. */
  public static Host host(CoxswainConfiguration configuration)
      throws HostException, ConfigurationException {
    return host(
        configuration,
        Definitions.enabled(Definitions.onClassPath(), configuration),
        CompletableFuture.completedFuture(null),
        StartTimeline.ofProcess());
  }

  private static Host host(
      CoxswainConfiguration configuration,
      List<ControllerDefinition> definitions,
      CompletableFuture<Void> loops,
      StartTimeline timeline)
      throws HostException {
    HostMetrics metrics = new HostMetrics(Version.text());
    timeline.mark("metrics");
    Tracing tracing =
        Tracing.of(configuration.tracing(), configuration.replicaName(), Version.text(), metrics);
    Kubernetes kubernetes = KubernetesAccess.open(configuration.kubernetes(), metrics, tracing);
    timeline.mark("client of the API server");
    loops.join();
    Host host =
        new Host(
            configuration,
            definitions,
            kubernetes,
            metrics,
            LoggingSetup.audit(),
            tracing,
            Clock.system());
    timeline.mark("event loops");
    host.timedBy(timeline);
    return host;
  }

  private static int stop(Host host, Duration limit, @Nullable FileRun source) {
    int code = stop(host, limit);
    if (source != null) {
      source.close(); // attempts may load classes until the end
    }
    return code;
  }

  private static int stop(Host host, Duration limit) {
    try {
      host.stop().await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      System.err.println("coxswain: the host did not stop within " + limit.toSeconds() + " s");
      return CommandLine.FAILED;
    }
    int abandoned = host.abandonedAttempts();
    if (abandoned > 0) {
      System.err.println(
          "coxswain: %s%s did not end within drainLimit, nor after being cancelled; see the log"
              .formatted(abandoned, abandoned == 1 ? " attempt" : " attempts"));
      return CommandLine.ABANDONED;
    }
    return CommandLine.OK;
  }
}
