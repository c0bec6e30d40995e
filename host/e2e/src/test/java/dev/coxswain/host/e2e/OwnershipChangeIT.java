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
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three real replicas, whose controller goes from sharded to leader and back by roll-outs while its
 * objects change.
 */
class OwnershipChangeIT {

  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final int REPLICAS = 3;
  private static final int OBJECTS = 30;
  private static final String LAST = "1000000";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final List<Launcher> all = new ArrayList<>();
  private final AtomicBoolean ended = new AtomicBoolean();

  @TempDir private Path folder;

  @AfterEach
  void close() {
    ended.set(true);
    all.forEach(Launcher::close);
    kubernetes.close();
    server.close();
  }

  @Test
  void epochsNeverFall_noRequestRunsTwice_andNothingIsLost() throws Exception {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(new V1ObjectMeta().namespace("default").name("changing-" + i))
                  .putDataItem(ChangingController.COUNT, "0"));
    }
    Thread load =
        Thread.ofVirtual()
            .start(() -> {
              for (int count = 1; !ended.get(); count++) {
                change(Integer.toString(count));
                LockSupport.parkNanos(50_000_000);
              }
            });
    List<Launcher> running = new ArrayList<>();
    for (String ownership : List.of("sharded", "leader", "sharded")) {
      int first = all.size();
      for (int i = 0; i < REPLICAS; i++) {
        Launcher replica = replica("r" + all.size(), ownership);
        all.add(replica);
        await("its start", replica, () -> replica.output().contains("host started"));
        if (running.size() == REPLICAS) { // a roll-out: one ends as soon as another one is ready
          stop(running.removeFirst());
        }
        running.add(replica);
      }
      await(
          "attempts of " + ownership,
          running.getLast(),
          () -> attempts().stream().anyMatch(attempt -> attempt.process() >= first));
    }
    ended.set(true);
    load.join();
    change(LAST);
    await(
        "the last change",
        running.getLast(),
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

  private List<Attempt> attempts() throws IOException {
    return AttemptLines.read(all);
  }

  private static void stop(Launcher replica) throws Exception {
    replica.terminate();
    replica.exitCode(LIMIT);
  }

  private Launcher replica(String name, String ownership) throws IOException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(kubeconfig, server.kubeconfig());
    Path classes =
        Plugins.folder(
            Files.createDirectory(folder.resolve(name)),
            ChangingController.class,
            List.of(ChangingController.class.getName()));
    Plugins.add(classes, AttemptLines.class);
    return Launcher.start(
        folder,
        Map.of(
            "COXSWAIN_CLASSPATH",
            classes.toString(),
            "COXSWAIN_REPLICA_NAME",
            name,
            "COXSWAIN_CONTROLLERS__CHANGING__OWNERSHIP",
            ownership,
            "COXSWAIN_ADMIN__PORT",
            "0",
            "COXSWAIN_METRICS__PORT",
            "0",
            "COXSWAIN_HEALTH__PORT",
            "0"),
        "run",
        "--kubeconfig",
        kubeconfig.toString());
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Launcher run, Condition condition) throws IOException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      assertThat(run.handle().isAlive()).as(run.errors()).isTrue();
      assertThat(System.nanoTime() - end)
          .as("%s within %s:%n%s", what, LIMIT, run.output())
          .isNegative();
      LockSupport.parkNanos(100_000_000);
    }
  }
}
