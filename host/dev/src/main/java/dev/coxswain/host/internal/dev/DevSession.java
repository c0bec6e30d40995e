// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.ctl.internal.cli.SessionFile;
import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.dev.author.MavenRepository;
import dev.coxswain.host.internal.jvm.HostJvm;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A development session: an API server and replicas, from start to stop.
 *
 * <p>Thread rule: {@link #start} on one thread; {@link #stop} on any, also during the start; both
 * block.
 */
public final class DevSession {

  /** How often replicas look for changed plug-ins: an author waits for it. */
  private static final String SCAN_INTERVAL = "200ms";

  /** The time for replicas to end; the whole stop must take less than two seconds. */
  private static final Duration STOP_LIMIT = Duration.ofMillis(1300);

  private final DevOptions options;
  private final Consumer<String> progress;
  private final Consumer<String> log;
  private final List<ReplicaProcess> replicas = new CopyOnWriteArrayList<>();
  private volatile boolean stopping;
  private volatile @Nullable PluginWatcher plugins;
  private volatile @Nullable DevApiServer apiServer;
  private volatile @Nullable Path folder;

  /**
   * Creates a session that is not started.
   *
   * @param progress receives progress messages, a line at a time
   * @param log receives the logs of the replicas, a line at a time, on several threads
   */
  public DevSession(DevOptions options, Consumer<String> progress, Consumer<String> log) {
    this.options = options;
    this.progress = progress;
    this.log = log;
  }

  /**
   * The addresses of a session.
   *
   * @param apiServer the address of the API server
   * @param kubeconfig the kubeconfig file for it
   * @param adminToken the token for the admin APIs; empty when authentication is configured
   * @param replicas the replicas
   */
  public record Report(
      String apiServer, String kubeconfig, String adminToken, List<ReplicaReport> replicas) {
    /** Returns a text without the token. */
    @Override
    public String toString() {
      return "Report[" + apiServer + ", " + kubeconfig + ", " + replicas + "]";
    }
  }

  /** Returns the settings of replicas besides those of the user, for validation. */
  public static List<String> settings(int replicas, List<String> ofUser) {
    List<String> all = new ArrayList<>();
    if (replicas > 1) {
      all.add(ReplicaSettings.SHARED);
      all.add("sharedLimiter.members=[127.0.0.1:1]"); // replaced at the start
    }
    all.addAll(ofUser);
    return all;
  }

  /** Starts all processes and waits until they are ready. */
  public Report start() throws HostException {
    try {
      DevApiServer api =
          DevApiServer.start(
              options.freePorts() ? 0 : DevOptions.API_PORT,
              options.data(),
              options.shardedListAndWatch(),
              options.stallLimit());
      apiServer = api;
      progress.accept("API server at " + api.url());
      Path made = Files.createTempDirectory(SessionFile.FOLDER_PREFIX);
      folder = made;
      SessionOwner.write(made);
      SessionOwner.deleteAbandoned(made.toAbsolutePath().getParent(), DevSession::delete);
      Path kubeconfig = DevToken.write(made.resolve("kubeconfig"), api.kubeconfig());
      DevToken token = options.ownToken() ? DevToken.make(made) : null;
      if (api.resumedObjects() > 0) {
        progress.accept("restored " + api.resumedObjects() + " objects from " + options.data());
        PriorLeases.release(api.url(), options.stallLimit());
      } else {
        install(api);
      }
      Path pluginFolder = made.resolve("plugins");
      if (!options.plugins().isEmpty()) {
        // Their projects are compiled against these jars: Coxswain may have been built again.
        MavenRepository.ofThisCopy();
        PluginWatcher watcher =
            new PluginWatcher(
                options.plugins(), pluginFolder, api, api.resumedObjects() > 0, progress);
        plugins = watcher;
        watcher.start();
      }
      startReplicas(kubeconfig, token, pluginFolder);
      List<ReplicaReport> reports = new ArrayList<>();
      for (ReplicaProcess replica : replicas) {
        ReplicaReport ready = replica.awaitReady(options.stallLimit());
        progress.accept("replica " + ready.name() + " is ready");
        reports.add(ready);
      }
      SessionFile.write(
          made,
          reports.stream().map(ReplicaReport::admin).toList(),
          token == null ? "" : String.valueOf(token.file().getFileName()));
      return new Report(
          api.url(), kubeconfig.toString(), token == null ? "" : token.value(), reports);
    } catch (IOException e) {
      throw new HostException("cannot prepare the development session: " + e.getMessage(), e);
    }
  }

  /**
   * Watches the replicas from now on: reports each that ends, and runs the callback when none is
   * left.
   */
  public void watch(Runnable onAllEnded) {
    AtomicInteger left = new AtomicInteger(replicas.size());
    for (ReplicaProcess replica : replicas) {
      Thread.ofVirtual()
          .name(replica.name() + "-watch")
          .start(() -> {
            int code = replica.awaitExitCode();
            if (!stopping) {
              int others = left.decrementAndGet();
              progress.accept(
                  "replica %s ended with exit code %s%s"
                      .formatted(
                          replica.name(),
                          code,
                          others == 0
                              ? ""
                              : ", " + others + " of " + options.replicas() + " still running"));
              if (others == 0) {
                onAllEnded.run();
              }
            }
          });
    }
  }

  /** Ends a replica at once, as {@code kill -9}. */
  public void kill(String replica) {
    replicas.stream().filter(one -> one.name().equals(replica)).forEach(ReplicaProcess::kill);
  }

  /** Returns whether a replica has printed why it ended. */
  public boolean explained() {
    return replicas.stream().anyMatch(ReplicaProcess::explained);
  }

  /** Stops all processes, and kills those that do not stop in time. May be called again. */
  public synchronized void stop() {
    stopping = true;
    PluginWatcher watcher = plugins;
    if (watcher != null) {
      watcher.close();
    }
    long deadline = System.nanoTime() + STOP_LIMIT.toNanos();
    replicas.forEach(ReplicaProcess::stop);
    for (ReplicaProcess replica : replicas) {
      replica.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }
    replicas.clear();
    DevApiServer api = apiServer;
    if (api != null) {
      api.close();
      apiServer = null;
    }
    Path made = folder;
    if (made != null) {
      delete(made);
      folder = null;
    }
  }

  private void install(DevApiServer api) throws IOException, HostException {
    long started = System.nanoTime();
    List<String> installed = Manifests.install(api, options.examples(), options.classPath());
    if (!installed.isEmpty()) {
      progress.accept(
          "installed the types and objects of %s in %s ms"
              .formatted(installed, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started)));
    }
  }

  private void startReplicas(Path kubeconfig, @Nullable DevToken token, Path pluginFolder)
      throws HostException {
    ReplicaSettings settings = ReplicaSettings.find(options.replicas(), options.freePorts(), token);
    for (int i = 0; i < options.replicas(); i++) {
      String name = ReplicaSettings.name(i);
      List<String> arguments = new ArrayList<>(List.of("--kubeconfig", kubeconfig.toString()));
      if (options.config() != null) {
        arguments.addAll(List.of("--config", options.config()));
      }
      settings.of(i).forEach(setting -> set(arguments, setting));
      if (!options.plugins().isEmpty()) {
        set(arguments, "plugins.directory=" + pluginFolder);
        set(arguments, "plugins.scanInterval=" + SCAN_INTERVAL);
      }
      options.settings().forEach(setting -> set(arguments, setting));
      synchronized (this) {
        if (stopping) {
          throw new HostException("stopped during the start");
        }
        String prefix = options.replicas() > 1 ? "[" + name + "] " : "";
        replicas.add(
            ReplicaProcess.start(
                name,
                classPath(options.examples(), options.classPath()),
                arguments,
                line -> log.accept(prefix + line)));
      }
      progress.accept("starting replica " + name);
    }
  }

  /**
   * Returns the class path of replicas: without examples that of production, as for {@code run}.
   *
   * @param more what it has besides
   */
  public static String classPath(boolean examples, List<Path> more) {
    return Stream.concat(
            Arrays.stream(HostJvm.classPath().split(File.pathSeparator, -1))
                .filter(entry -> examples || !Manifests.ofDevelopment(Path.of(entry))),
            more.stream().map(Path::toString))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static void set(List<String> arguments, String setting) {
    arguments.add("--set");
    arguments.add(setting);
  }

  /** Deletes a folder with its contents; failures are printed. */
  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("coxswain: cannot delete " + folder + ": " + e.getMessage());
    }
  }
}
