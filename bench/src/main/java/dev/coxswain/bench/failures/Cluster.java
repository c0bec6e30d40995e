// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.recorder.StormController;
import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.retry.WindowChecker.Limit;
import dev.coxswain.testing.host.Definitions;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.host.ReplicaGroup;
import dev.coxswain.testing.host.Setup;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The replicas of a run of the limiter suite, and their API server.
 */
final class Cluster extends ReplicaGroup {
  private static final Duration HEALTHY_LIMIT = Duration.ofSeconds(150);
  private static final Duration FIND_LIMIT = Duration.ofSeconds(20);
  private static final String OWNER_GAUGE = "coxswain_limiter_pool_owner";
  private static final String BACKUP_GAUGE = "coxswain_limiter_pool_backup";
  private static final Pattern POOL_GRANTS =
      Pattern.compile(
          "(?m)^coxswain_limiter_granted_total\\{[^}]*source=\"pool\"[^}]*} ([0-9.E]+)$");

  /** The span of the latest starts that show that all is well. */
  private static final Duration HEALTHY_SPAN = Duration.ofSeconds(5);

  /** Which part of the rate must be used for that. */
  private static final double HEALTHY_SHARE = 0.6;

  /** A replica that has nothing but its floor is further from an equal share than this. */
  private static final double HEALTHY_UNFAIRNESS = 0.5;

  /**
   * How long after the answer to a change the larger of the old and the new limits may still hold:
   * permits that were promised ahead, and replicas that have not looked at the pool since, see
   * docs/evidence/limiter-failures.md.
   */
  private static final long SETTLES_NANOS = Duration.ofMillis(2_500).toNanos();

  private final ApiServer server;
  private final Budget budget;
  private final int keys;
  private final boolean stubborn;

  /** The promised limits over time, in its order. */
  private final List<Limit> limits = new ArrayList<>();

  /** That of the configuration, or of an override. */
  private Budget inForce;

  /**
   * Starts the API server, and no replica yet.
   *
   * @param keys how many requests fail on each replica
   * @param stubborn whether requests are tried again within 20 ms, whatever happens; otherwise the
   *     ordinary backoff applies
   */
  Cluster(Setup setup, Network network, Budget budget, int keys, boolean stubborn)
      throws IOException {
    super(setup, network);
    this.server = ApiServer.withData(network.controlPlane(), setup.folder(), false);
    this.budget = budget;
    this.keys = keys;
    this.stubborn = stubborn;
    this.inForce = budget;
    limits.add(new Limit(System.nanoTime(), budget.rate(), budget.burst()));
  }

  @Override
  protected String classPath() throws IOException {
    return Definitions.classPath(setup().folder(), StormController.class);
  }

  @Override
  protected String controllers(String process) {
    return """
    limiters:
      default: {rate: %s, burst: %d}
    controllers:
      storm:
        ownership: everywhere
        concurrency: 16
        config: {starts: "%s", keys: %d}
    """
            .formatted(budget.rate(), budget.burst(), Starts.file(setup().folder(), process), keys)
        + (stubborn ? "    backoff: {base: 5ms, max: 20ms}\n" : "");
  }

  @Override
  protected URI server(int index) {
    return server.uri();
  }

  @Override
  public void close() throws IOException {
    try (server) {
      super.close();
    }
  }

  Budget budget() {
    return budget;
  }

  /** Returns {@code shared}, or {@code per process} for the contrast. */
  String limiter() {
    return setup().shared() ? "shared" : "per process";
  }

  /**
   * Returns the replica whose member owns the limiter's entry, by its own metrics; the first one
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

  /** Returns whether the metrics of a replica show where the entry is. */
  boolean knowsOwner() throws IOException {
    return Waits.until(FIND_LIMIT, () -> find(OWNER_GAUGE).isPresent());
  }

  /** Returns how many retries a replica has started with a permit of the pool, by its metrics. */
  double poolGrants(Replica replica) {
    return metric(replica, POOL_GRANTS);
  }

  private Optional<Replica> find(String gauge) {
    Pattern pattern =
        Pattern.compile("(?m)^" + gauge + "\\{[^}]*limiter=\"default\"[^}]*} (1)(\\.0)?$");
    return replicas().stream().filter(replica -> metric(replica, pattern) == 1).findFirst();
  }

  /** Sets a part of the rate and the burst through the admin API of the first replica. */
  void override(double ofRate, double ofBurst) throws IOException {
    Budget next = new Budget(budget.rate() * ofRate, Math.max(2, (int) (budget.burst() * ofBurst)));
    change(next, "set", "--rate=" + next.rate(), "--burst=" + next.burst(), "--ttl=1h");
  }

  /** Ends the override through the admin API of the first replica. */
  void clearOverride() throws IOException {
    change(budget, "reset");
  }

  /** Until a change has settled the larger of the old and the new limits hold. */
  private void change(Budget next, String verb, String... flags) throws IOException {
    tell(verb + " the limiter: " + next);
    limits.add(
        new Limit(
            System.nanoTime(),
            Math.max(inForce.rate(), next.rate()),
            Math.max(inForce.burst(), next.burst())));
    List<String> arguments =
        new ArrayList<>(List.of("limiters", verb, "default", "--reason=failure suite"));
    arguments.addAll(List.of(flags));
    ctl(replicas().getFirst(), arguments.toArray(String[]::new));
    limits.add(new Limit(System.nanoTime() + SETTLES_NANOS, next.rate(), next.burst()));
    inForce = next;
  }

  /** Returns what was promised, and when. */
  List<Limit> limits() {
    return List.copyOf(limits);
  }

  /** Returns what has been recorded so far. */
  Starts starts() throws IOException {
    return Starts.read(setup().folder());
  }

  /**
   * Waits until most of the rate is used and no replica is far from an equal share; returns whether
   * that came.
   */
  boolean awaitHealthy() throws IOException {
    return Waits.until(HEALTHY_LIMIT, this::healthy);
  }

  private boolean healthy() throws IOException {
    if (!crashed().isEmpty()) {
      return false;
    }
    long now = System.nanoTime();
    Starts latest = starts().between(now - HEALTHY_SPAN.toNanos(), now);
    return latest.count() >= HEALTHY_SHARE * budget.rate() * HEALTHY_SPAN.toSeconds()
        && latest.unfairness(names()) <= HEALTHY_UNFAIRNESS;
  }
}
