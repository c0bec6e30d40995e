// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.recorder.RecordingControllers;
import dev.coxswain.bench.failures.recorder.StormController;
import dev.coxswain.testing.host.Definitions;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.network.Loopback;
import dev.coxswain.testing.network.TcpRelay;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Replicas with many controllers that divide the objects, and the faults of a soak.
 *
 * <p>Thread rule: as {@link OwnershipCluster}.
 */
final class SoakCluster extends OwnershipCluster {
  /** Long enough that clients notice, short enough that no Lease expires. */
  private static final Duration CUT = Duration.ofMillis(500);

  SoakCluster(OwnershipPlan plan) throws IOException {
    super(plan, Loopback.create(OwnershipPlan.MAX_REPLICAS));
  }

  @Override
  protected String classPath() throws IOException {
    return Definitions.classPath(
        setup().folder(), StormController.class, RecordingControllers.class);
  }

  @Override
  String recorders(String process) {
    return IntStream.range(0, RecordingControllers.COUNT)
        .mapToObj(RecordingControllers::name)
        .map(name -> recorder(name, process + "-" + name))
        .collect(Collectors.joining());
  }

  /** Returns the replicas that no fault ends. */
  List<Replica> survivors() {
    return replicas().stream().filter(one -> one.index() != victim()).toList();
  }

  private int victim() {
    return plan().replicas() - 1;
  }

  /** Cuts all connections of all replicas to the API server. */
  void cut() throws IOException {
    tell("cut all watches");
    replicas().forEach(replica -> relay(replica).mode(TcpRelay.Mode.CUT));
    Waits.pass(CUT);
    replicas().forEach(replica -> relay(replica).mode(TcpRelay.Mode.OPEN));
  }

  /** Kills the last replica and starts it again at once; it is back when this returns. */
  void killAndRestart() throws IOException {
    for (Replica replica : replicas()) {
      if (replica.index() == victim()) {
        kill(replica);
      }
    }
    restart(Duration.ZERO, victim());
  }
}
