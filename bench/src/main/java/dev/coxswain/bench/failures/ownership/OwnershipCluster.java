// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.ReplicaGroup;
import dev.coxswain.bench.failures.cluster.Starts;
import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.TcpRelay;
import dev.coxswain.bench.failures.ownership.HandOverReader.HandOver;
import dev.coxswain.bench.failures.recorder.RecordingController;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The replicas of the ownership suite. Each reaches the API server through a relay of its own, a
 * TCP proxy of this process.
 *
 * <p>Thread rule: as {@link ReplicaGroup}.
 */
class OwnershipCluster extends ReplicaGroup {
  private static final Pattern OPEN_SLOTS =
      Pattern.compile("(?m)^coxswain_slots_held\\{[^}]*stage=\"open\"[^}]*} (\\S+)");

  private final OwnershipPlan plan;
  private final ServerCalls calls;
  private final List<TcpRelay> relays = new ArrayList<>();
  private final AttemptReader reader;
  private final HandOverReader handOvers = new HandOverReader();

  OwnershipCluster(OwnershipPlan plan, Network network, Consumer<String> progress)
      throws IOException {
    super(plan.app(), plan.folder(), network, progress);
    this.plan = plan;
    this.calls = new ServerCalls(controlPlane().uri());
    this.reader = new AttemptReader(plan.folder());
    for (int i = 0; i < OwnershipPlan.MAX_REPLICAS; i++) {
      relays.add(TcpRelay.start(network.controlPlane(), controlPlane().uri()));
    }
    tell("each replica reaches the API server through a TCP proxy of this process");
  }

  OwnershipPlan plan() {
    return plan;
  }

  ServerCalls calls() {
    return calls;
  }

  TcpRelay relay(Replica replica) {
    return relays.get(replica.index());
  }

  @Override
  protected URI server(int index) {
    return relays.get(index).uri();
  }

  /** Returns the slots that changed hands as planned within a time. */
  List<HandOver> handOvers(long from, long to) throws IOException {
    return handOvers.between(logs(), from, to);
  }

  /** Moves the slots of a replica to the others, and lets it have slots again. */
  void drain(Replica replica) throws IOException {
    tell("drain " + replica.name());
    String reason = "--reason=suite";
    replica.ctl(app(), network(), "drain", replica.name(), reason);
    tell("undo the drain");
    replica.ctl(app(), network(), "drain", "--undo", replica.name(), reason);
  }

  /** Returns how many slots a replica has open. */
  int openSlots(Replica replica) {
    Matcher found = OPEN_SLOTS.matcher(replica.metrics(http()));
    return found.find() ? (int) Double.parseDouble(found.group(1)) : 0;
  }

  /** Returns all attempts so far. */
  List<Attempt> attempts() throws IOException {
    return reader.all();
  }

  /** Returns the attempts that began within a time until now. */
  List<Attempt> latest(Duration span) throws IOException {
    long from = System.nanoTime() - span.toNanos();
    return attempts().stream().filter(attempt -> attempt.begin() >= from).toList();
  }

  /** Returns how far the replica that is furthest from an equal share is from it. */
  double unfairness(List<Attempt> attempts) {
    Map<String, Long> counts =
        attempts.stream().collect(Collectors.groupingBy(Attempt::process, Collectors.counting()));
    double share = (double) attempts.size() / replicas().size();
    return replicas().stream()
        .mapToDouble(one -> Math.abs(counts.getOrDefault(one.processName(), 0L) / share - 1))
        .max()
        .orElse(Double.NaN);
  }

  @Override
  protected String configuration(int index, String process) {
    Network network = network();
    String members =
        IntStream.range(0, OwnershipPlan.MAX_REPLICAS)
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
    limiters:
      default: {rate: %s, burst: %d}
      recorder: {rate: 200, burst: 1000}
    controllers:
      parked: {enabled: false}
      busy: {enabled: false}
      storm:
        ownership: everywhere
        backoff: {base: 5ms, max: 20ms}
        config: {starts: "%s", keys: 20}
    %s
    membership: {host: %s, maxReplicas: %d, leaseDuration: %dms, renewPeriod: %dms}
    sharedLimiter:
      enabled: true
      port: %d
      clusterName: ownership
      members: [%s]
    """
        .formatted(
            Replica.name(index),
            network.adminAddress(index),
            Replica.ADMIN_PORT,
            network.controlAddress(index),
            Replica.METRICS_PORT,
            network.controlAddress(index),
            Replica.HEALTH_PORT,
            OwnershipPlan.BUDGET.rate(),
            OwnershipPlan.BUDGET.burst(),
            Starts.file(folder(), process),
            recorders(process).indent(2).stripTrailing(),
            network.address(index),
            OwnershipPlan.MAX_REPLICAS,
            plan.lease().toMillis(),
            plan.renewPeriod().toMillis(),
            network.memberPort(index),
            members);
  }

  /** Returns the part of the configuration of the controllers that record. */
  String recorders(String process) {
    return recorder(RecordingController.NAME, process);
  }

  /**
   * Returns the part of one of them.
   *
   * @param process the name that its attempts have
   */
  final String recorder(String controller, String process) {
    return """
    %s:
      ownership: %s
      concurrency: %d
      budget: recorder
      config: {records: "%s", process: %s, caches: %s, wait: %d, again: %d}
    """
        .formatted(
            controller,
            plan.ownership(),
            plan.concurrency(),
            AttemptReader.file(folder(), process),
            process,
            plan.caches(),
            plan.work().toMillis(),
            plan.again().toMillis());
  }

  @Override
  public void close() throws IOException {
    try {
      replicas().forEach(Replica::terminate); // all at once: none hands its slots over
      super.close();
    } finally {
      calls.close();
      for (TcpRelay relay : relays) {
        relay.close();
      }
    }
  }
}
