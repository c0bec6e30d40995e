// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.e2e.AttemptLines.Attempt;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Real replicas of one controller that prints its attempts; one after the other is replaced. */
abstract class RealReplicas {

  static final Duration LIMIT = Duration.ofMinutes(4);
  static final int REPLICAS = 3;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Class<? extends ControllerDefinition> controller;
  private final List<Launcher> running = new ArrayList<>();

  /** All replicas that were ever started, in this order. */
  final List<Launcher> all = new ArrayList<>();

  @TempDir Path folder;

  RealReplicas(Class<? extends ControllerDefinition> controller) {
    this.controller = controller;
  }

  @AfterEach
  void close() {
    all.forEach(Launcher::close);
    kubernetes.close();
    server.close();
  }

  /** Starts a replica; when it has started, the oldest ends, if there are enough others. */
  void replace(Path script, Map<String, String> environment, String... flags) throws Exception {
    Launcher replica = replica(script, "r" + all.size(), environment, flags);
    all.add(replica);
    replica.await("its start", LIMIT, () -> replica.output().contains("host started"));
    if (running.size() == REPLICAS) {
      stop(running.removeFirst());
    }
    running.add(replica);
  }

  /** Waits for what the running replicas do. */
  void await(String what, Launcher.Condition condition) throws IOException {
    running.getLast().await(what, LIMIT, condition);
  }

  /** Stops all replicas one after the other. */
  void stopAll() throws Exception {
    while (!running.isEmpty()) {
      stop(running.removeFirst());
    }
  }

  List<Attempt> attempts() throws IOException {
    return AttemptLines.read(all);
  }

  private static void stop(Launcher replica) throws Exception {
    replica.terminate();
    assertThat(replica.exitCode(LIMIT)).as(replica.output()).isZero();
  }

  private Launcher replica(Path script, String name, Map<String, String> settings, String... flags)
      throws IOException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(kubeconfig, server.kubeconfig());
    Path classes =
        Plugins.folder(
            Files.createDirectory(folder.resolve(name)), controller, List.of(controller.getName()));
    Plugins.add(classes, AttemptLines.class);
    Map<String, String> environment = new HashMap<>(Distribution.freePorts());
    environment.put("COXSWAIN_CLASSPATH", classes.toString());
    environment.put("COXSWAIN_REPLICA_NAME", name);
    environment.putAll(settings);
    List<String> arguments = new ArrayList<>(List.of("run", "--kubeconfig", kubeconfig.toString()));
    arguments.addAll(List.of(flags));
    return Launcher.start(script, folder, environment, arguments.toArray(String[]::new));
  }
}
