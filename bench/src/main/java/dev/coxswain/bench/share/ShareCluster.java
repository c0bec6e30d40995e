// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import dev.coxswain.bench.failures.recorder.AttemptRecord;
import dev.coxswain.bench.failures.recorder.RecordingController;
import dev.coxswain.testing.host.Definitions;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.host.ReplicaGroup;
import dev.coxswain.testing.host.Setup;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.RecordCodec;
import dev.coxswain.testing.report.Recordings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;

/**
 * The replicas of one row. Their controller reads each changed object and writes nothing to the API
 * server, so that all events are those of the benchmark.
 *
 * <p>Thread rule: as {@link ReplicaGroup}.
 */
final class ShareCluster extends ReplicaGroup {
  private static final String RECORDS = "records";
  private static final int SLOTS = 64;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration QUIET = Duration.ofMillis(300);

  private final ShareServer server;
  private final ShareSubject mode;
  private final Recordings recordings = new Recordings();

  /** The newest generation that a replica has reconciled, by the name of the object. */
  private final Map<String, Long> reconciled = new HashMap<>();

  /** Starts no replica yet. */
  ShareCluster(Setup setup, Network network, ShareServer server, ShareSubject mode) {
    super(setup, network);
    this.server = server;
    this.mode = mode;
  }

  @Override
  protected String classPath() throws IOException {
    return Definitions.classPath(setup().folder(), RecordingController.class);
  }

  @Override
  protected URI server(int index) {
    return server.uri();
  }

  @Override
  protected Path kubeconfig(int index) {
    return server.kubeconfig();
  }

  /** With Leases and a slot map of its own: those of the row before have not expired yet. */
  @Override
  protected String membership() {
    return ", slotsBy: %s, slots: %d, namespace: %s, name: %s"
        .formatted(mode.slotsBy(), SLOTS, server.control(), setup().folder().getFileName());
  }

  @Override
  protected String controllers(String process) {
    return """
    changes: {pauses: {enabled: false}, history: {enabled: false}}
    controllers:
      recorder:
        ownership: sharded
        concurrency: 16
        config: {records: "%s", process: %s, caches: filtered, wait: 0, again: 86400000}
    """
        .formatted(Recordings.file(setup().folder(), RECORDS, process), process);
  }

  /** Starts replicas, and returns when each has its slots and all objects are reconciled. */
  void fill(int replicas) throws IOException {
    for (int i = 0; i < replicas; i++) {
      start(i);
    }
    awaitReady();
    await("the slots were not divided", this::isBalanced);
    awaitReconciled();
  }

  /** Returns the counters of the replicas, in their order. */
  List<ReplicaTraffic> traffic() throws IOException {
    List<ReplicaTraffic> all = new ArrayList<>();
    for (Replica replica : replicas()) {
      all.add(ReplicaTraffic.of(replica));
    }
    return all;
  }

  /** Returns the counters when nothing more arrives. */
  List<ReplicaTraffic> settledTraffic() throws IOException {
    List<ReplicaTraffic> before = traffic();
    for (long from = System.nanoTime(); System.nanoTime() - from < LIMIT.toNanos(); ) {
      Waits.pass(QUIET);
      List<ReplicaTraffic> now = traffic();
      if (received(now) == received(before)) {
        return now;
      }
      before = now;
    }
    throw new IOException("events still arrive after " + LIMIT.toSeconds() + " s without a change");
  }

  private static double received(List<ReplicaTraffic> all) {
    return all.stream().mapToDouble(one -> one.events() + one.listed()).sum();
  }

  /** Waits until the replicas that are left hold all slots. */
  void awaitHeld() throws IOException {
    await("slots have no owner", () -> slots().getSum() == SLOTS);
  }

  private boolean isBalanced() throws IOException {
    IntSummaryStatistics slots = slots();
    return slots.getSum() == SLOTS && slots.getMax() - slots.getMin() <= 1;
  }

  private IntSummaryStatistics slots() throws IOException {
    return traffic().stream().mapToInt(ReplicaTraffic::open).summaryStatistics();
  }

  /** Waits until each object was reconciled in its last generation. */
  void awaitReconciled() throws IOException {
    Map<String, Long> written = server.writes().written();
    boolean all = Waits.until(LIMIT, () -> behind(written).isEmpty());
    if (!all) {
      List<String> behind = behind(written);
      String one = behind.getFirst();
      throw new IOException(
          "%d of %d objects were not reconciled in their last generation within %d s, such as %s: %d instead of %d"
              .formatted(
                  behind.size(),
                  written.size(),
                  LIMIT.toSeconds(),
                  one,
                  reconciled.getOrDefault(one, 0L),
                  written.get(one)));
    }
  }

  private List<String> behind(Map<String, Long> written) throws IOException {
    recordings.next(setup().folder(), RECORDS).values().forEach(lines -> lines.forEach(this::add));
    return written.entrySet().stream()
        .filter(one -> !one.getValue().equals(reconciled.get(one.getKey())))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void add(String line) {
    AttemptRecord attempt = RecordCodec.parse(AttemptRecord.class, line);
    if (attempt.event() == AttemptRecord.Event.BEGIN) {
      reconciled.merge(attempt.key(), attempt.value(), Math::max);
    }
  }

  private void await(String otherwise, Waits.Condition condition) throws IOException {
    if (!Waits.until(LIMIT, condition)) {
      throw new IOException(
          "%s after %d s; logs in %s".formatted(otherwise, LIMIT.toSeconds(), setup().folder()));
    }
  }

  @Override
  public void close() throws IOException {
    replicas().forEach(Replica::terminate); // all at once: none hands its slots over
    super.close();
  }
}
