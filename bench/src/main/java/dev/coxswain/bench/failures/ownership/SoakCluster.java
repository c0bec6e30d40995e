// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.TcpRelay;
import dev.coxswain.bench.failures.recorder.RecordingControllers;
import dev.coxswain.controller.ControllerDefinition;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
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

  private final Path services;

  SoakCluster(OwnershipPlan plan, Network network, Consumer<String> progress) throws IOException {
    super(plan, network, progress);
    services = plan.folder().resolve("services");
    Path file = services.resolve("META-INF/services").resolve(ControllerDefinition.class.getName());
    Files.createDirectories(file.getParent());
    Files.writeString(file, RecordingControllers.class.getName() + "\n");
  }

  @Override
  protected String classPath() {
    return super.classPath() + File.pathSeparator + services;
  }

  @Override
  String recorders(String process) {
    return "recorder: {enabled: false}\n"
        + IntStream.range(0, RecordingControllers.COUNT)
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
    for (Replica replica : replicas()) {
      relay(replica).mode(TcpRelay.Mode.CUT);
    }
    Waits.pass(CUT);
    for (Replica replica : replicas()) {
      relay(replica).mode(TcpRelay.Mode.OPEN);
    }
  }

  /** Kills the last replica and starts it again at once; it is back when this returns. */
  void killAndRestart() throws IOException {
    for (Replica replica : replicas()) {
      if (replica.index() == victim()) {
        kill(replica);
      }
    }
    start(victim());
    awaitReady();
  }

  /** Stops the API server and starts it again after a third of a Lease. */
  void outage() throws IOException {
    tell("stop the API server");
    controlPlane().stop();
    Waits.pass(plan().lease().dividedBy(3));
    controlPlane().restart();
    tell("the API server is back");
  }
}
