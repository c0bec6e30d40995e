// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.host.e2e.process.AttemptLines.Attempt;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real replicas of controllers that print their attempts; one after the other is replaced. All tests of a
 * class have the same ones.
 */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // makeFolder() comes first
abstract class RealReplicas {

  static final Duration LIMIT = Duration.ofMinutes(4);
  static final int REPLICAS = 3;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final List<Class<? extends ControllerDefinition>> controllers;

  /** Those that run, in the order of their starts. */
  final List<Launcher> running = new ArrayList<>();

  /** All replicas that were ever started, in this order. */
  final List<Launcher> all = new ArrayList<>();

  Path folder;

  RealReplicas(List<Class<? extends ControllerDefinition>> controllers) {
    this.controllers = controllers;
  }

  @BeforeAll
  void makeFolder(@TempDir Path made) {
    folder = made;
  }

  @AfterAll
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
            Files.createDirectory(folder.resolve(name)),
            AttemptLines.class,
            controllers.stream().map(Class::getName).toList());
    for (Class<?> controller : controllers) {
      Plugins.add(classes, controller);
    }
    Map<String, String> environment = new HashMap<>(Distribution.freePorts());
    environment.put("COXSWAIN_CLASSPATH", classes.toString());
    environment.put("COXSWAIN_REPLICA_NAME", name);
    environment.putAll(settings);
    List<String> arguments = new ArrayList<>(List.of("run", "--kubeconfig", kubeconfig.toString()));
    arguments.addAll(List.of(flags));
    return Launcher.start(script, folder, environment, arguments.toArray(String[]::new));
  }
}
