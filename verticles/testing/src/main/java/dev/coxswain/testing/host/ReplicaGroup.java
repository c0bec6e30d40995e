// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.host;

import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.network.SteppedClock;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of a run; they end with this process.
 *
 * <p>Thread rule: one thread; calls block.
 */
public abstract class ReplicaGroup implements AutoCloseable {
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);

  private final Setup setup;
  private final Network network;
  private final Map<Integer, Replica> replicas = new TreeMap<>();
  private final Map<Integer, Integer> processes = new HashMap<>();
  private final Map<Integer, SteppedClock> clocks = new HashMap<>();
  private final List<Path> logs = new ArrayList<>();

  /** All processes ever started, to be ended at the end of the run. */
  private final ConcurrentLinkedQueue<Replica> started = new ConcurrentLinkedQueue<>();

  /** Starts no replica yet. */
  protected ReplicaGroup(Setup setup, Network network) {
    this.setup = setup;
    this.network = network;
    Runtime.getRuntime().addShutdownHook(new Thread(() -> started.forEach(Replica::destroy)));
  }

  /**
   * Returns {@code limiters} and {@code controllers} of the configuration of a replica.
   *
   * @param process the name of its process, such as {@code r0-1}
   */
  protected abstract String controllers(String process);

  /** Returns where a replica finds its controllers, as a class path. */
  protected abstract String classPath() throws IOException;

  /** Returns the address at which a replica reaches the API server. */
  protected abstract URI server(int index);

  public Setup setup() {
    return setup;
  }

  public Network network() {
    return network;
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
    setup.progress().accept(what);
  }

  /** Runs a command of {@code coxswain ctl} against the admin API of a replica. */
  public void ctl(Replica replica, String... arguments) throws IOException {
    replica.ctl(setup.app(), network, arguments);
  }

  /** Returns the number that a pattern finds in the metrics of a replica, or 0. */
  public static double metric(Replica replica, Pattern pattern) {
    Matcher found = pattern.matcher(replica.metrics());
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }

  /** Gives a replica a clock that can be stepped, from its next start on. */
  public void prepareClock(int index) throws IOException {
    clocks.put(index, SteppedClock.create(setup.folder(), Replica.name(index)));
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
      Map<String, String> environment = new HashMap<>(Map.of("COXSWAIN_CLASSPATH", classPath()));
      clocks.getOrDefault(index, SteppedClock.system()).applyTo(environment);
      Replica replica =
          Replica.start(
              setup.app(),
              setup.folder(),
              network,
              index,
              process,
              configuration(index, process),
              kubeconfig(index),
              environment);
      started.add(replica);
      replicas.put(index, replica);
      logs.add(replica.log());
      tell("started " + process);
    }
  }

  /** Returns the kubeconfig file of a replica; by default one for the address of its server. */
  protected Path kubeconfig(int index) throws IOException {
    return Files.writeString(
        setup.folder().resolve("kubeconfig-" + Replica.name(index)), kubeconfig(server(index)));
  }

  /** Returns a kubeconfig for a server at an address. */
  public static String kubeconfig(URI server) {
    return """
    apiVersion: v1
    kind: Config
    current-context: bench
    clusters: [{name: bench, cluster: {server: "%s"}}]
    contexts: [{name: bench, context: {cluster: bench, user: bench, namespace: default}}]
    users: [{name: bench, user: {}}]
    """
        .formatted(server);
  }

  /** Returns more keys of the section of the membership, each after a comma; none by default. */
  protected String membership() {
    return "";
  }

  private String configuration(int index, String process) {
    String members =
        IntStream.range(0, setup.most())
            .mapToObj(i -> "\"" + network.address(i) + ":" + network.memberPort(i) + "\"")
            .collect(Collectors.joining(", "));
    return """
    apiVersion: config.coxswain.dev/v1alpha1
    kind: CoxswainConfiguration
    replicaName: %s
    drainLimit: 20s
    logging: {format: json, levels: {dev.coxswain.sharding.internal.replica: debug}}
    admin: {host: %s, port: %d, auth: {mode: none}}
    metrics: {host: %s, port: %d}
    health: {host: %s, port: %d}
    %s
    membership: {host: %s, maxReplicas: %d, leaseDuration: %dms, renewPeriod: %dms%s}
    sharedLimiter: {enabled: %b, port: %d, clusterName: failures, members: [%s]}
    """
        .formatted(
            Replica.name(index),
            network.adminAddress(index),
            Replica.ADMIN_PORT,
            network.controlAddress(index),
            Replica.METRICS_PORT,
            network.controlAddress(index),
            Replica.HEALTH_PORT,
            controllers(process).strip(),
            network.address(index),
            setup.most(),
            setup.lease().toMillis(),
            setup.renewPeriod().toMillis(),
            membership(),
            setup.shared(),
            network.memberPort(index),
            members);
  }

  /**
   * Waits until all replicas are ready.
   *
   * @throws IOException when one ends by itself or takes too long; the message names the logs
   */
  public void awaitReady() throws IOException {
    List<Replica> waiting = new ArrayList<>(replicas.values());
    Waits.until(
        READY_LIMIT,
        () -> {
          waiting.removeIf(Replica::ready);
          return waiting.isEmpty() || waiting.stream().anyMatch(one -> !one.alive());
        });
    if (!waiting.isEmpty()) {
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

  /** Starts replicas again after a time and waits until all are ready. */
  public void restart(Duration after, int... indexes) throws IOException {
    Waits.pass(after);
    start(indexes);
    awaitReady();
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

  /** Stops all replicas in order. */
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
    started.forEach(Replica::destroy);
    if (failure != null) {
      throw failure;
    }
  }
}
