// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Replicas as processes of their own, each a {@link LimiterProcess}. */
final class ReplicaProcesses implements AutoCloseable {
  private static final double RATE = 50;
  private static final int BURST = 20;

  private final Path folder;
  private final List<String> addresses;
  private final List<Replica> replicas = new ArrayList<>();

  /** Of so many replicas as there are addresses; none is started yet. */
  ReplicaProcesses(Path folder, List<String> addresses) {
    this.folder = folder;
    this.addresses = addresses;
  }

  /** A process and what it said last. */
  static final class Replica {
    final Process process;
    final Path file;
    volatile String state = "";

    Replica(Process process, Path file) {
      this.process = process;
      this.file = file;
      Thread.ofVirtual()
          .start(() -> {
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
              lines
                  .lines()
                  .forEach(line -> {
                    if (line.startsWith("members=")) {
                      state = line;
                    } else {
                      System.err.println(line);
                    }
                  });
            } catch (IOException e) {
              // it was killed
            }
          });
    }

    int starts() {
      try {
        return Files.readAllLines(file).size();
      } catch (IOException e) {
        return 0; // not there yet
      }
    }
  }

  List<Replica> all() {
    return replicas;
  }

  /** Starts all; they find each other by the list of their addresses. */
  void startAll() throws IOException {
    for (int i = 0; i < addresses.size(); i++) {
      start(i, List.of(), List.of(), "");
    }
  }

  /** Starts all in there; they find each other by a name that this hosts file resolves. */
  void startAll(NetworkNamespace network, String service, Path hosts) throws IOException {
    for (int i = 0; i < addresses.size(); i++) {
      start(i, network.prefix(), List.of("-Djdk.net.hosts.file=" + hosts), service);
    }
  }

  private void start(int ordinal, List<String> prefix, List<String> options, String service)
      throws IOException {
    Path file = folder.resolve("starts-" + ordinal);
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
            "-Dvertx.disableDnsResolver=true",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(options);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            LimiterProcess.class.getName(),
            Integer.toString(ordinal),
            String.join(",", addresses),
            service,
            Double.toString(RATE),
            Integer.toString(BURST),
            file.toString()));
    replicas.add(new Replica(new ProcessBuilder(command).redirectErrorStream(true).start(), file));
  }

  void await(String what, BooleanSupplier condition) throws InterruptedException {
    Await.until(what, condition, () -> replicas.stream().map(r -> r.state).toList());
  }

  /** Waits until all are in one cluster and retry with permits of its pool. */
  void awaitOnePool() throws InterruptedException {
    await(
        "all share the pool",
        () ->
            replicas.stream()
                .allMatch(r ->
                    r.state.startsWith("members=" + addresses.size())
                        && r.state.endsWith("pool=true")));
    int[] before = replicas.stream().mapToInt(Replica::starts).toArray();
    await(
        "it hands out permits",
        () -> {
          for (int i = 0; i < before.length; i++) {
            if (replicas.get(i).starts() <= before[i] + 30) {
              return false;
            }
          }
          return true;
        });
  }

  /** Kills all, and checks when they started retries. */
  void assertNoWindowIsExceeded() throws IOException {
    close();
    List<String> lines = new ArrayList<>();
    for (Replica replica : replicas) {
      lines.addAll(Files.readAllLines(replica.file));
    }
    // Processes of one machine share its monotonic clock.
    long[] starts = lines.stream().mapToLong(Long::parseLong).sorted().toArray();
    assertThat(starts.length).isGreaterThan(30 * replicas.size());
    assertThat(WindowChecker.worst(starts, starts.length, RATE, BURST).excess())
        .as("worst window of %s starts", starts.length)
        .isLessThanOrEqualTo(0);
  }

  @Override
  public void close() {
    replicas.forEach(replica -> replica.process.destroyForcibly());
  }
}
