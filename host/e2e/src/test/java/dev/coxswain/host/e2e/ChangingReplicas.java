// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.AttemptLines.Attempt;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real replicas with {@link ChangingController}, whose objects change all the time, and a judge of all
 * their attempts.
 */
abstract class ChangingReplicas {

  static final Duration LIMIT = Duration.ofMinutes(4);
  static final int REPLICAS = 3;
  private static final int OBJECTS = 30;
  private static final String LAST = "1000000";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final AtomicBoolean ended = new AtomicBoolean();
  private final List<Launcher> running = new ArrayList<>();

  /** All replicas that were ever started, in this order. */
  final List<Launcher> all = new ArrayList<>();

  @TempDir Path folder;

  private Thread load = Thread.ofVirtual().unstarted(() -> {});

  @AfterEach
  void close() {
    ended.set(true);
    all.forEach(Launcher::close);
    kubernetes.close();
    server.close();
  }

  /** Makes the objects, and changes them until the end. */
  void beginChanges() {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(new V1ObjectMeta().namespace("default").name("changing-" + i))
                  .putDataItem(ChangingController.COUNT, "0"));
    }
    load =
        Thread.ofVirtual()
            .start(() -> {
              for (int count = 1; !ended.get(); count++) {
                change(Integer.toString(count));
                LockSupport.parkNanos(50_000_000);
              }
            });
  }

  /** Replaces the replicas one by one: one ends as soon as another one is ready. Waits for their work. */
  void rollOut(Path script, Map<String, String> environment, String... flags) throws Exception {
    int first = all.size();
    for (int i = 0; i < REPLICAS; i++) {
      replace(script, environment, flags);
    }
    running
        .getLast()
        .await(
            "attempts of the new replicas",
            LIMIT,
            () -> attempts().stream().anyMatch(attempt -> attempt.process() >= first));
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

  /** Stops all replicas one after the other. */
  void stopAll() throws Exception {
    while (!running.isEmpty()) {
      stop(running.removeFirst());
    }
  }

  /** Ends the changes, waits until the last one has been reconciled, and judges all attempts. */
  void judge() throws Exception {
    ended.set(true);
    load.join();
    change(LAST);
    running
        .getLast()
        .await(
            "the last change",
            LIMIT,
            () ->
                attempts().stream()
                        .filter(attempt -> attempt.count().equals(LAST))
                        .map(Attempt::key)
                        .distinct()
                        .count()
                    == OBJECTS);
    judge(attempts());
  }

  private void judge(List<Attempt> attempts) {
    assertThat(AttemptLines.violations(attempts)).isEmpty();
    assertThat(attempts.stream().map(Attempt::process).distinct().count())
        .as("processes that worked")
        .isGreaterThanOrEqualTo(REPLICAS + 1L);
  }

  private void change(String count) {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .modify(
              Request.of("default", "changing-" + i),
              map -> map.putDataItem(ChangingController.COUNT, count));
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
            ChangingController.class,
            List.of(ChangingController.class.getName()));
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
