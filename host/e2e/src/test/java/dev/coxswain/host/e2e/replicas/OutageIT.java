// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.host.e2e.process.AttemptLines.Attempt;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real replicas, whose API server is away for a time and starts again without its history. */
class OutageIT {

  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final int REPLICAS = 3;
  private static final int OBJECTS = 6;
  private static final int LAST = 1_000_000;

  private final List<Launcher> replicas = new ArrayList<>();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Write> writes = new ConcurrentLinkedQueue<>();

  @TempDir private Path folder;
  private RestartedApiServer server;
  private Kubernetes kubernetes;

  /** A change that the server has acknowledged. */
  private record Write(String key, int count, long end) {}

  @BeforeEach
  void start() throws Exception {
    server = RestartedApiServer.create(folder);
    kubernetes = Kubernetes.fromKubeconfig(server.kubeconfig(), KubernetesOptions.DEFAULT);
  }

  @AfterEach
  void close() throws Exception {
    ended.set(true);
    replicas.forEach(Launcher::close);
    kubernetes.close();
    server.close();
  }

  @Test
  void allWatchesComeBack_epochsNeverFall_andNothingIsLost() throws Exception {
    createObjects();
    for (int i = 0; i < REPLICAS; i++) {
      Launcher replica = replica("r" + i);
      replicas.add(replica);
      replica.await("its start", LIMIT, () -> replica.output().contains("host started"));
    }
    List<Thread> load =
        OutageController.KINDS.stream()
            .map(kind -> Thread.ofVirtual().start(() -> change(kind)))
            .toList();
    awaitAll("the first attempts", 1);
    Duration away = Duration.ofSeconds(TestLength.of(5, 60));
    for (int restart = 1; restart <= TestLength.of(1, 3); restart++) {
      Instant down = Instant.now();
      server.stop();
      LockSupport.parkNanos(away.toNanos());
      long begin = System.nanoTime();
      server.start();
      long up = System.nanoTime();
      Instant served = Instant.now();
      awaitWrites(up);
      Map<String, Write> first = firstWrites(up);
      Map<String, Attempt> seen = new ConcurrentHashMap<>();
      replicas
          .getFirst()
          .await(
              "attempts after restart " + restart,
              LIMIT,
              () -> {
                attempts().stream()
                    .filter(attempt -> attempt.begin() > up)
                    .filter(attempt ->
                        Integer.parseInt(attempt.count()) >= of(first, attempt.key()).count())
                    .forEach(attempt ->
                        seen.merge(
                            attempt.key(), attempt, (a, b) -> a.begin() <= b.begin() ? a : b));
                return seen.keySet().containsAll(first.keySet());
              });
      print(restart, begin, up, first, seen);
      awaitWatches(down, served);
    }
    ended.set(true);
    for (Thread thread : load) {
      thread.join();
    }
    OutageController.KINDS.forEach(kind -> change(kind, LAST));
    awaitAll("the last change", LAST);
    assertThat(AttemptLines.violations(attempts())).isEmpty();
  }

  private void createObjects() {
    for (ResourceType<Unstructured> kind : OutageController.KINDS) {
      if (kind.group().endsWith("example.com")) {
        createDefinition(kind);
      }
    }
    for (ResourceType<Unstructured> kind : OutageController.KINDS) {
      for (int i = 0; i < OBJECTS; i++) {
        Unstructured object =
            json(
                """
                {"apiVersion": "%s", "kind": "%s",
                 "metadata": {"namespace": "default", "name": "%s-%d", "annotations": {"count": "0"}}}
                """
                    .formatted(
                        kind.group().isEmpty() ? "v1" : kind.group() + "/" + kind.version(),
                        kind.kind(),
                        kind.plural(),
                        i));
        retried(() -> kubernetes.resource(kind).create(object));
      }
    }
  }

  private void createDefinition(ResourceType<Unstructured> kind) {
    ResourceType<Unstructured> definitions =
        ResourceType.unstructured(
            "apiextensions.k8s.io",
            "v1",
            "customresourcedefinitions",
            "CustomResourceDefinition",
            false);
    kubernetes
        .resource(definitions)
        .create(
            json(
                """
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "%1$s.outage.example.com"},
                 "spec": {"group": "outage.example.com", "scope": "Namespaced",
                  "names": {"plural": "%1$s", "kind": "%2$s"},
                  "versions": [{"name": "v1", "served": true, "storage": true,
                   "schema": {"openAPIV3Schema": {"type": "object"}}}]}}
                """
                    .formatted(kind.plural(), kind.kind())));
  }

  private static Unstructured json(String text) {
    return Unstructured.of(JsonParser.parseString(text).getAsJsonObject());
  }

  /** A kind is served a moment after its definition is stored. */
  private static void retried(Runnable call) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        call.run();
        return;
      } catch (RuntimeException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        LockSupport.parkNanos(100_000_000);
      }
    }
  }

  private void change(ResourceType<Unstructured> kind) {
    for (int count = 1; !ended.get(); count++) {
      change(kind, count);
    }
  }

  private void change(ResourceType<Unstructured> kind, int count) {
    for (int i = 0; i < OBJECTS; i++) {
      String name = kind.plural() + "-" + i;
      try {
        kubernetes
            .resource(kind)
            .patch(
                Request.of("default", name),
                JsonParser.parseString(
                        "{\"metadata\": {\"annotations\": {\"count\": \"" + count + "\"}}}")
                    .getAsJsonObject());
        writes.add(new Write(name, count, System.nanoTime()));
      } catch (RuntimeException e) {
        if (count == LAST) {
          throw e;
        }
        // the server is away; what was stored without an answer is written again
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  /** Waits for all watches that were cut, and prints how long after the start of the server it took. */
  private void awaitWatches(Instant down, Instant served) throws IOException {
    List<Long> late = new ArrayList<>();
    for (Launcher replica : replicas) {
      replica.await(
          "its watches",
          LIMIT,
          () ->
              times(replica, "watch restored", down).size()
                  == times(replica, "watch failed, retrying", down).size());
      times(replica, "watch restored", down)
          .forEach(time -> late.add(Duration.between(served, time).toMillis()));
    }
    assertThat(late).hasSizeGreaterThanOrEqualTo(REPLICAS * OutageController.KINDS.size());
    late.sort(null);
    System.out.printf(
        "%d watches were back after: median %d ms, longest %d ms%n",
        late.size(), late.get(late.size() / 2), late.getLast());
  }

  /** Returns the times of the log lines with a text, from a time on. */
  private static List<Instant> times(Launcher replica, String text, Instant from)
      throws IOException {
    return replica
        .output()
        .lines()
        .filter(line -> line.contains(text))
        .map(line -> Instant.parse(line.substring(0, line.indexOf(' '))))
        .filter(time -> time.isAfter(from))
        .toList();
  }

  private void awaitWrites(long from) throws IOException {
    replicas
        .getFirst()
        .await(
            "writes",
            LIMIT,
            () -> firstWrites(from).size() == OBJECTS * OutageController.KINDS.size());
  }

  private Map<String, Write> firstWrites(long from) {
    Map<String, Write> first = new ConcurrentHashMap<>();
    writes.stream()
        .filter(write -> write.end() > from)
        .forEach(write -> first.putIfAbsent(write.key(), write));
    return first;
  }

  private void awaitAll(String what, int count) throws IOException {
    replicas
        .getFirst()
        .await(
            what,
            LIMIT,
            () ->
                attempts().stream()
                        .filter(attempt -> Integer.parseInt(attempt.count()) >= count)
                        .map(Attempt::key)
                        .distinct()
                        .count()
                    == (long) OBJECTS * OutageController.KINDS.size());
  }

  private List<Attempt> attempts() throws IOException {
    return AttemptLines.read(replicas);
  }

  /** Prints how long after the first write of each object that the server took its attempt began. */
  private static void print(
      int restart, long begin, long up, Map<String, Write> first, Map<String, Attempt> seen) {
    long firstWrite = first.values().stream().mapToLong(Write::end).min().orElseThrow();
    Comparator<String> late =
        Comparator.comparingLong(key -> of(seen, key).begin() - of(first, key).end());
    List<String> keys = first.keySet().stream().sorted(late).toList();
    System.out.printf(
        "restart %d: started in %d ms, first write after %d ms, from the first write of an object to"
            + " its attempt: median %d ms, longest %d ms (%s); from the first write of all to the"
            + " last attempt %d ms%n",
        restart,
        millis(up - begin),
        millis(firstWrite - begin),
        delay(keys.get(keys.size() / 2), first, seen),
        delay(keys.getLast(), first, seen),
        keys.getLast(),
        millis(seen.values().stream().mapToLong(Attempt::begin).max().orElseThrow() - firstWrite));
  }

  private static long delay(String key, Map<String, Write> first, Map<String, Attempt> seen) {
    return millis(of(seen, key).begin() - of(first, key).end());
  }

  private static <T> T of(Map<String, T> all, String key) {
    return Objects.requireNonNull(all.get(key), key);
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private Launcher replica(String name) throws IOException {
    Path classes =
        Plugins.folder(
            folder.resolve(name),
            OutageController.class,
            List.of(OutageController.class.getName()));
    Plugins.add(classes, AttemptLines.class);
    return Launcher.start(
        folder,
        Distribution.withFreePorts(
            Map.of(
                "COXSWAIN_CLASSPATH",
                classes.toString(),
                "COXSWAIN_REPLICA_NAME",
                name,
                "COXSWAIN_CONTROLLERS__OUTAGE__OWNERSHIP",
                "sharded")),
        "run",
        "--kubeconfig",
        server.kubeconfig().toString());
  }
}
