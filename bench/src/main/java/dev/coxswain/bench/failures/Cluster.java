// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.SteppedClock;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of a run and the control plane.
 *
 * <p>Thread rule: one thread, but for {@link #destroy}, which any thread may call; calls block.
 */
final class Cluster implements AutoCloseable {
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);
  private static final Duration HEALTHY_LIMIT = Duration.ofSeconds(150);

  private static final Duration FIND_LIMIT = Duration.ofSeconds(20);
  private static final String OWNER_GAUGE = "coxswain_limiter_pool_owner";
  private static final String BACKUP_GAUGE = "coxswain_limiter_pool_backup";
  private static final Pattern POOL_GRANTS =
      Pattern.compile(
          "(?m)^coxswain_limiter_granted_total\\{[^}]*source=\"pool\"[^}]*} ([0-9.E]+)$");

  /** Over how long the latest starts tell that all is well. */
  private static final Duration HEALTHY_SPAN = Duration.ofSeconds(5);

  /** Which part of the rate must be used for that. */
  private static final double HEALTHY_SHARE = 0.6;

  /** A replica that has nothing but its floor is further from an equal share than this. */
  private static final double HEALTHY_UNFAIRNESS = 0.5;

  private final Setup setup;
  private final Network network;
  private final ControlPlane controlPlane;
  private final Path kubeconfig;
  private final Consumer<String> progress;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<Integer, Replica> replicas = new TreeMap<>();
  private final Map<Integer, Integer> processes = new HashMap<>();
  private final Map<Integer, SteppedClock> clocks = new HashMap<>();
  private final List<Path> logs = new ArrayList<>();
  private final Limits limits;

  /** All processes ever started, for whoever has to end them. */
  private final List<Replica> started = new ArrayList<>();

  private Cluster(
      Setup setup, Network network, ControlPlane controlPlane, Consumer<String> progress)
      throws IOException {
    this.setup = setup;
    this.network = network;
    this.controlPlane = controlPlane;
    this.kubeconfig = controlPlane.kubeconfig(setup.folder());
    this.progress = progress;
    this.limits = new Limits(setup.budget());
  }

  /** Starts the control plane, and no replica yet. */
  static Cluster create(Setup setup, Network network, Consumer<String> progress)
      throws IOException {
    ControlPlane controlPlane = ControlPlane.start(network.controlPlane());
    try {
      return new Cluster(setup, network, controlPlane, progress);
    } catch (IOException e) {
      controlPlane.close();
      throw e;
    }
  }

  Setup setup() {
    return setup;
  }

  Network network() {
    return network;
  }

  /** Returns the replicas that were started and not ended on purpose. */
  List<Replica> replicas() {
    return List.copyOf(replicas.values());
  }

  List<String> names() {
    return replicas.values().stream().map(Replica::name).toList();
  }

  /** Returns the logs of all processes so far. */
  List<Path> logs() {
    return List.copyOf(logs);
  }

  void tell(String what) {
    progress.accept(what);
  }

  /** From now on replicas are started with a clock that can be stepped. */
  void prepareClock(int index) throws IOException {
    clocks.put(index, SteppedClock.create(setup.folder(), Replica.name(index)));
  }

  /** Returns the clock of a replica that {@link #prepareClock} was called for. */
  SteppedClock clock(Replica replica) {
    SteppedClock clock = clocks.get(replica.index());
    if (clock == null) {
      throw new IllegalStateException(replica.name() + " has the clock of the machine");
    }
    return clock;
  }

  /** Starts replicas and does not wait for them. */
  void start(int... indexes) throws IOException {
    for (int index : indexes) {
      int number = processes.merge(index, 1, Integer::sum);
      Replica replica =
          Replica.start(
              setup,
              network,
              kubeconfig,
              index,
              number,
              clocks.getOrDefault(index, SteppedClock.system()));
      synchronized (started) {
        started.add(replica);
      }
      replicas.put(index, replica);
      logs.add(replica.log());
      tell("started " + replica.name() + ", process " + number);
    }
  }

  /** Waits until all replicas say that they are ready. */
  void awaitReady() throws IOException {
    List<Replica> waiting = new ArrayList<>(replicas.values());
    boolean ready =
        Waits.until(
            READY_LIMIT,
            () -> {
              waiting.removeIf(replica -> !replica.alive() || replica.ready(http));
              return waiting.isEmpty();
            });
    if (!ready) {
      throw new IOException(
          "not ready after "
              + READY_LIMIT.toMinutes()
              + " minutes: "
              + waiting.stream().map(Replica::log).toList());
    }
  }

  void kill(Replica replica) throws IOException {
    tell("kill -9 " + replica.name());
    replicas.remove(replica.index());
    replica.kill();
  }

  /** Stops a replica in order; any other exit code than 0 is a failure of the run. */
  void stop(Replica replica) throws IOException {
    tell("stop " + replica.name());
    replicas.remove(replica.index());
    long from = System.nanoTime();
    int code = replica.stop();
    tell(
        replica.name()
            + " ended with "
            + code
            + " after "
            + Duration.ofNanos(System.nanoTime() - from).toMillis()
            + " ms");
    // 143 is how the end by a signal is told when the JVM's own handler has the last word.
    if (code != 0 && code != 143) {
      throw new IOException(replica.name() + " ended with " + code + "; see " + replica.log());
    }
  }

  /** Returns the names of replicas that ended although nobody told them to. */
  List<String> crashed() {
    return replicas.values().stream()
        .filter(replica -> !replica.alive())
        .map(Replica::name)
        .toList();
  }

  /**
   * Returns the replica whose member owns the limiter's entry, as it says itself; the first one
   * when none does, as without a shared limiter.
   */
  Replica owner() {
    return find(OWNER_GAUGE).orElseGet(() -> replicas().getFirst());
  }

  /** Returns the replica that holds the backup of the entry, which is never the owner. */
  Replica backup() {
    Replica owner = owner();
    return find(BACKUP_GAUGE)
        .filter(replica -> replica != owner)
        .orElseGet(() -> others(owner).getFirst());
  }

  /** Returns whether the replicas tell where the entry is. */
  boolean knowsOwner() throws IOException {
    return Waits.until(FIND_LIMIT, () -> find(OWNER_GAUGE).isPresent());
  }

  /** Returns how many retries a replica says to have started with a permit of the pool. */
  double poolGrants(Replica replica) {
    Matcher found = POOL_GRANTS.matcher(replica.metrics(http));
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }

  List<Replica> others(Replica replica) {
    return replicas.values().stream().filter(other -> other != replica).toList();
  }

  private Optional<Replica> find(String gauge) {
    Pattern pattern =
        Pattern.compile("(?m)^" + gauge + "\\{[^}]*limiter=\"default\"[^}]*} 1(\\.0)?$");
    return replicas.values().stream()
        .filter(replica -> pattern.matcher(replica.metrics(http)).find())
        .findFirst();
  }

  /** Sets another rate and burst through the admin API of the first replica. */
  void override(Budget budget) throws IOException {
    tell("override: " + budget);
    limits.change(
        budget,
        () -> ctl("set", "--rate=" + budget.rate(), "--burst=" + budget.burst(), "--ttl=1h"));
  }

  /** Ends the override through the admin API of the first replica. */
  void clearOverride() throws IOException {
    tell("override ends");
    limits.change(setup.budget(), () -> ctl("reset"));
  }

  private void ctl(String verb, String... flags) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("limiters", verb, "default", "--reason=failure suite"));
    arguments.addAll(List.of(flags));
    replicas().getFirst().ctl(setup, network, arguments.toArray(String[]::new));
  }

  /** Returns what was promised, and when. */
  Limits limits() {
    return limits;
  }

  /** Returns what has been recorded so far. */
  Starts starts() throws IOException {
    return Starts.read(setup.folder());
  }

  /**
   * Waits until most of the rate is used and no replica is far from an equal share; returns whether
   * that came.
   */
  boolean awaitHealthy() throws IOException {
    return Waits.until(HEALTHY_LIMIT, this::healthy);
  }

  private boolean healthy() throws IOException {
    if (replicas.values().stream().anyMatch(replica -> !replica.alive())) {
      return false;
    }
    long now = System.nanoTime();
    Starts latest = starts().between(now - HEALTHY_SPAN.toNanos(), now);
    double wanted = HEALTHY_SHARE * setup.budget().rate() * HEALTHY_SPAN.toSeconds();
    return latest.count() >= wanted && latest.unfairness(names()) <= HEALTHY_UNFAIRNESS;
  }

  /** Ends all processes whatever they do. */
  void destroy() {
    List<Replica> all;
    synchronized (started) {
      all = List.copyOf(started);
    }
    all.forEach(Replica::destroy);
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
    controlPlane.close();
    http.close();
    if (failure != null) {
      throw failure;
    }
  }
}
