// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.ReplicaGroup;
import dev.coxswain.bench.failures.cluster.Starts;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.bench.failures.network.Network;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The replicas of a run of the limiter suite, and their API server.
 *
 * <p>Thread rule: one thread, but for {@link #destroy}, which any thread may call; calls block.
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

  private final Setup setup;
  private final Limits limits;

  /** Starts the API server, and no replica yet. */
  Cluster(Setup setup, Network network, Consumer<String> progress) throws IOException {
    super(setup.app(), setup.folder(), network, progress);
    this.setup = setup;
    this.limits = new Limits(setup.budget());
  }

  @Override
  protected String configuration(int index, String process) {
    return setup.configuration(network(), index, Starts.file(setup.folder(), process));
  }

  Setup setup() {
    return setup;
  }

  /**
   * Returns the replica whose member owns the limiter's entry, by its own metrics; the first one when none does, as without a shared limiter.
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
    Matcher found = POOL_GRANTS.matcher(replica.metrics(http()));
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }

  private Optional<Replica> find(String gauge) {
    Pattern pattern =
        Pattern.compile("(?m)^" + gauge + "\\{[^}]*limiter=\"default\"[^}]*} 1(\\.0)?$");
    return replicas().stream()
        .filter(replica -> pattern.matcher(replica.metrics(http())).find())
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
    replicas().getFirst().ctl(app(), network(), arguments.toArray(String[]::new));
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
    if (replicas().stream().anyMatch(replica -> !replica.alive())) {
      return false;
    }
    long now = System.nanoTime();
    Starts latest = starts().between(now - HEALTHY_SPAN.toNanos(), now);
    double wanted = HEALTHY_SHARE * setup.budget().rate() * HEALTHY_SPAN.toSeconds();
    return latest.count() >= wanted && latest.unfairness(names()) <= HEALTHY_UNFAIRNESS;
  }
}
