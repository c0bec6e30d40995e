// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.Starts;
import dev.coxswain.bench.failures.ownership.HandOverReader.HandOver;
import dev.coxswain.bench.failures.recorder.RecordingController;
import dev.coxswain.bench.failures.recorder.StormController;
import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.testing.host.Definitions;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.host.ReplicaGroup;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.network.TcpRelay;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The replicas of the ownership suite. Each reaches the API server through a relay of its own, a
 * TCP proxy of this process.
 *
 * <p>Thread rule: as {@link ReplicaGroup}.
 */
class OwnershipCluster extends ReplicaGroup {
  private static final Duration FILL_LIMIT = Duration.ofMinutes(4);
  private static final Pattern OPEN_SLOTS =
      Pattern.compile("(?m)^coxswain_slots_held\\{[^}]*stage=\"open\"[^}]*} (\\S+)");

  private final ApiServer server;
  private final OwnershipPlan plan;
  private final ServerCalls calls;
  private final ChangeFeed feed;
  private final ObjectWatch watch;
  private final List<TcpRelay> relays = new ArrayList<>();
  private final AttemptReader reader;
  private final HandOverReader handOvers = new HandOverReader();

  OwnershipCluster(OwnershipPlan plan, Network network) throws IOException {
    super(plan.setup(), network);
    this.server = ApiServer.withData(network.controlPlane(), plan.setup().folder(), plan.selects());
    this.plan = plan;
    this.calls = new ServerCalls(server.uri(), plan.byNamespace());
    this.reader = new AttemptReader(plan.setup().folder());
    for (int i = 0; i < OwnershipPlan.MAX_REPLICAS; i++) {
      relays.add(TcpRelay.start(network.controlPlane(), server.uri()));
    }
    tell("each replica reaches the API server through a TCP proxy of this process");
    this.feed = ChangeFeed.of(plan, calls);
    this.watch = new ObjectWatch(calls);
  }

  OwnershipPlan plan() {
    return plan;
  }

  ServerCalls calls() {
    return calls;
  }

  ChangeFeed feed() {
    return feed;
  }

  ObjectWatch watch() {
    return watch;
  }

  TcpRelay relay(Replica replica) {
    return relays.get(replica.index());
  }

  @Override
  protected URI server(int index) {
    return relays.get(index).uri();
  }

  /** Creates the objects, starts the replicas and returns when everything is reconciled. */
  void fill() throws IOException {
    feed.create(0);
    watch.start();
    tell(plan.objects() + " objects, seed " + plan.seed());
    for (int i = 0; i < plan.replicas(); i++) {
      start(i);
    }
    awaitReady();
    tell("ready");
    if (!Waits.until(
        FILL_LIMIT, () -> watch.count() == plan.objects() && unreconciled().isEmpty())) {
      throw new IOException(unreconciled().size() + " objects were never reconciled");
    }
  }

  /** Returns the objects whose latest generation has not been reconciled and can be. */
  List<String> unreconciled() {
    return watch.unreconciled(feed.failing());
  }

  /** Returns the slots that changed hands as planned within a time. */
  List<HandOver> handOvers(long from, long to) throws IOException {
    return handOvers.between(logs(), from, to);
  }

  /** Stops the API server and starts it again after a time. */
  void outage(Duration time) throws IOException {
    tell("stop the API server");
    server.stop();
    Waits.pass(time);
    tell("start the API server");
    server.restart();
  }

  /** Moves the slots of a replica to the others, and lets it have slots again. */
  void drain(Replica replica) throws IOException {
    tell("drain " + replica.name());
    String reason = "--reason=suite";
    ctl(replica, "drain", replica.name(), reason);
    tell("undo the drain");
    ctl(replica, "drain", "--undo", replica.name(), reason);
  }

  /** Returns how many slots a replica has open. */
  int openSlots(Replica replica) {
    return (int) metric(replica, OPEN_SLOTS);
  }

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
  protected String classPath() throws IOException {
    return Definitions.classPath(
        setup().folder(), StormController.class, RecordingController.class);
  }

  @Override
  protected String membership() {
    return ", slotsBy: " + plan.division();
  }

  @Override
  protected String controllers(String process) {
    return """
    limiters:
      default: {rate: %s, burst: %d}
      recorder: {rate: 200, burst: 1000}
    controllers:
      storm:
        ownership: everywhere
        backoff: {base: 5ms, max: 20ms}
        config: {starts: "%s", keys: 20}
    %s
    """
        .formatted(
            OwnershipPlan.BUDGET.rate(),
            OwnershipPlan.BUDGET.burst(),
            Starts.file(setup().folder(), process),
            recorders(process).indent(2).stripTrailing());
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
            AttemptReader.file(setup().folder(), process),
            process,
            plan.caches(),
            plan.work().toMillis(),
            plan.again().toMillis());
  }

  @Override
  public void close() throws IOException {
    feed.close();
    watch.close();
    try {
      replicas().forEach(Replica::terminate); // all at once: none hands its slots over
      super.close();
    } finally {
      server.close();
      for (TcpRelay relay : relays) {
        relay.close();
      }
    }
  }
}
