// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.cluster;

import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.SteppedClock;
import dev.coxswain.bench.run.DevCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of a run and their API server.
 *
 * <p>Thread rule: one thread, but for {@link #destroy}, which any thread may call; calls block.
 */
public abstract class ReplicaGroup implements AutoCloseable {
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);

  private final Path app;
  private final Path folder;
  private final Network network;
  private final Consumer<String> progress;
  private final ControlPlane controlPlane;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<Integer, Replica> replicas = new TreeMap<>();
  private final Map<Integer, Integer> processes = new HashMap<>();
  private final Map<Integer, SteppedClock> clocks = new HashMap<>();
  private final List<Path> logs = new ArrayList<>();

  /** All processes ever started, to be ended at the end of the run. */
  private final List<Replica> started = new ArrayList<>();

  /**
   * Starts the API server, and no replica yet.
   *
   * @param app an installed copy
   * @param folder where everything of the run is written
   */
  protected ReplicaGroup(Path app, Path folder, Network network, Consumer<String> progress)
      throws IOException {
    this.app = app;
    this.folder = folder;
    this.network = network;
    this.progress = progress;
    this.controlPlane = ControlPlane.start(network.controlPlane(), folder);
  }

  /**
   * Returns the text of the configuration of a replica.
   *
   * @param process the name of its process, such as {@code r0-1}
   */
  protected abstract String configuration(int index, String process);

  /** Returns the address at which a replica reaches the API server. */
  protected URI server(int index) {
    return controlPlane.uri();
  }

  /** Returns where a replica finds its controllers, as a class path. */
  protected String classPath() {
    return DevCluster.jar().toString();
  }

  public Path folder() {
    return folder;
  }

  public Network network() {
    return network;
  }

  public ControlPlane controlPlane() {
    return controlPlane;
  }

  protected Path app() {
    return app;
  }

  public HttpClient http() {
    return http;
  }

  /** Returns the replicas that were started and not ended on purpose. */
  public List<Replica> replicas() {
    return List.copyOf(replicas.values());
  }

  public List<Replica> others(Replica replica) {
    return replicas.values().stream().filter(other -> other != replica).toList();
  }

  public List<String> names() {
    return replicas.values().stream().map(Replica::name).toList();
  }

  /** Returns the logs of all processes so far. */
  public List<Path> logs() {
    return List.copyOf(logs);
  }

  /** Reports progress. */
  public void tell(String what) {
    progress.accept(what);
  }

  /** Gives a replica a clock that can be stepped, from its next start on. */
  public void prepareClock(int index) throws IOException {
    clocks.put(index, SteppedClock.create(folder, Replica.name(index)));
  }

  /** Returns the clock of a replica that {@link #prepareClock} was called for. */
  public SteppedClock clock(Replica replica) {
    SteppedClock clock = clocks.get(replica.index());
    if (clock == null) {
      throw new IllegalStateException(replica.name() + " has the clock of the machine");
    }
    return clock;
  }

  /** Starts replicas and does not wait for them. */
  public void start(int... indexes) throws IOException {
    for (int index : indexes) {
      String process = Replica.name(index) + "-" + processes.merge(index, 1, Integer::sum);
      Path kubeconfig =
          Files.writeString(
              folder.resolve("kubeconfig-" + Replica.name(index)), kubeconfig(server(index)));
      Map<String, String> environment = new HashMap<>(Map.of("COXSWAIN_CLASSPATH", classPath()));
      clocks.getOrDefault(index, SteppedClock.system()).applyTo(environment);
      Replica replica =
          Replica.start(
              app,
              folder,
              network,
              index,
              process,
              configuration(index, process),
              kubeconfig,
              environment);
      synchronized (started) {
        started.add(replica);
      }
      replicas.put(index, replica);
      logs.add(replica.log());
      tell("started " + process);
    }
  }

  private static String kubeconfig(URI server) {
    return """
    apiVersion: v1
    kind: Config
    current-context: suite
    clusters: [{name: suite, cluster: {server: "%s"}}]
    contexts: [{name: suite, context: {cluster: suite, user: suite, namespace: default}}]
    users: [{name: suite, user: {}}]
    """
        .formatted(server);
  }

  /**
   * Waits until all replicas are ready.
   *
   * @throws IOException when one ends by itself or takes too long; the message names the logs
   */
  public void awaitReady() throws IOException {
    List<Replica> waiting = new ArrayList<>(replicas.values());
    boolean ready =
        Waits.until(
            READY_LIMIT,
            () -> {
              waiting.removeIf(replica -> replica.ready(http));
              return waiting.isEmpty() || waiting.stream().anyMatch(one -> !one.alive());
            });
    if (!ready || !waiting.isEmpty()) {
      throw new IOException(
          "ended, or not ready after "
              + READY_LIMIT.toMinutes()
              + " minutes: "
              + waiting.stream().map(Replica::log).toList());
    }
  }

  public void kill(Replica replica) throws IOException {
    tell("kill -9 " + replica.name());
    replicas.remove(replica.index());
    replica.kill();
  }

  /** Stops a replica in order; any other exit code than 0 is a failure of the run. */
  public void stop(Replica replica) throws IOException {
    tell("stop " + replica.name());
    replicas.remove(replica.index());
    long from = System.nanoTime();
    int code = replica.stop();
    long millis = Duration.ofNanos(System.nanoTime() - from).toMillis();
    tell("%s ended with %d after %d ms".formatted(replica.name(), code, millis));
    // 143: the JVM's own handler of the signal had the last word.
    if (code != 0 && code != 143) {
      throw new IOException(replica.name() + " ended with " + code + "; see " + replica.log());
    }
  }

  /** Freezes a replica for a time. */
  public void freeze(Replica replica, Duration time) throws IOException {
    tell("freeze " + replica.name());
    replica.freeze();
    Waits.pass(time);
    tell("thaw " + replica.name());
    replica.thaw();
  }

  /** Returns the names of replicas that ended by themselves. */
  public List<String> crashed() {
    return replicas.values().stream()
        .filter(replica -> !replica.alive())
        .map(Replica::name)
        .toList();
  }

  /** Kills all processes. */
  public void destroy() {
    List<Replica> all;
    synchronized (started) {
      all = List.copyOf(started);
    }
    all.forEach(Replica::destroy);
    controlPlane.destroy();
  }

  /** Stops everything in order. */
  @Override
  public void close() throws IOException {
    @Nullable IOException failure = null;
    for (Replica replica : replicas()) {
      try {
        stop(replica);
      } catch (IOException e) {
        failure = e;
      }
    }
    destroy();
    http.close();
    if (failure != null) {
      throw failure;
    }
  }
}
