// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.retry.WindowChecker;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three replicas as processes of their own on the loopback interface. */
class MemberProcessesTest {
  private static final double RATE = 50;
  private static final int BURST = 20;

  @TempDir private Path folder;

  private final List<Replica> replicas = new ArrayList<>();

  /** A process and what it said last. */
  private static final class Replica {
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

  @AfterEach
  void killAll() {
    replicas.forEach(replica -> replica.process.destroyForcibly());
  }

  @Test
  void killOfTheOwner_exceedsNoWindow_andTheOthersGoOn() throws Exception {
    Replica owner = startThree();
    owner.process.destroyForcibly().waitFor();
    List<Replica> others = replicas.stream().filter(r -> r != owner).toList();
    await(
        "the others have another owner",
        () ->
            others.stream().anyMatch(r -> r.state.contains("owner=true"))
                && others.stream()
                    .allMatch(
                        r -> r.state.startsWith("members=2") && r.state.endsWith("pool=true")));
    int before = others.stream().mapToInt(Replica::starts).sum();
    await("they go on", () -> others.stream().mapToInt(Replica::starts).sum() > before + 100);
    assertNoWindowIsExceeded();
  }

  /** Hazelcast by itself looks for the others after five minutes, longer than this test waits. */
  @Test
  void ownerThatWasExpelledWhileItStoodStill_joinsTheOthersAgain_andExceedsNoWindow()
      throws Exception {
    Replica owner = startThree();
    signal("-STOP", owner);
    List<Replica> others = replicas.stream().filter(r -> r != owner).toList();
    await(
        "the others go on without it",
        () -> others.stream().allMatch(r -> r.state.startsWith("members=2")));
    signal("-CONT", owner);
    await("it leaves its own part", () -> !owner.state.startsWith("members=3"));
    await("it joins", () -> replicas.stream().allMatch(r -> r.state.startsWith("members=3")));
    await("it has the pool again", () -> owner.state.endsWith("pool=true"));
    int before = owner.starts();
    await("it uses it", () -> owner.starts() > before + 30);
    assertNoWindowIsExceeded();
  }

  private static void signal(String signal, Replica replica) throws Exception {
    int code =
        new ProcessBuilder("kill", signal, Long.toString(replica.process.pid())).start().waitFor();
    assertThat(code).isZero();
  }

  /** Starts three replicas, waits until all use the pool, and returns its owner. */
  private Replica startThree() throws Exception {
    List<String> addresses = new ArrayList<>();
    for (int port : freePorts(3)) {
      addresses.add("127.0.0.1:" + port);
    }
    for (int i = 0; i < 3; i++) {
      start(i, addresses);
    }
    await(
        "all three share the pool",
        () ->
            replicas.stream()
                .allMatch(r -> r.state.startsWith("members=3") && r.state.endsWith("pool=true")));
    await("it hands out permits", () -> replicas.stream().allMatch(r -> r.starts() > 30));
    return replicas.stream().filter(r -> r.state.contains("owner=true")).findFirst().orElseThrow();
  }

  private void assertNoWindowIsExceeded() throws IOException {
    killAll();
    long[] starts = starts();
    assertThat(starts.length).isGreaterThan(150);
    assertThat(WindowChecker.worst(starts, starts.length, RATE, BURST).excess())
        .as("worst window of %s starts", starts.length)
        .isLessThanOrEqualTo(0);
  }

  /** Returns all starts of all replicas; processes of one machine share its monotonic clock. */
  private long[] starts() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Replica replica : replicas) {
      lines.addAll(Files.readAllLines(replica.file));
    }
    return lines.stream().mapToLong(Long::parseLong).sorted().toArray();
  }

  private void start(int seat, List<String> addresses) throws IOException {
    Path file = folder.resolve("starts-" + seat);
    String self = addresses.get(seat);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
            "-Dvertx.disableDnsResolver=true",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            LimiterProcess.class.getName(),
            Integer.toString(seat),
            self.substring(self.indexOf(':') + 1),
            String.join(",", addresses),
            "3",
            Double.toString(RATE),
            Integer.toString(BURST),
            file.toString()));
    replicas.add(new Replica(new ProcessBuilder(command).redirectErrorStream(true).start(), file));
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ServerSocket socket = new ServerSocket(0);
      sockets.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  private void await(String what, BooleanSupplier condition) throws InterruptedException {
    long limit = System.nanoTime() + Duration.ofSeconds(100).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - limit)
          .as("%s; they say %s", what, replicas.stream().map(r -> r.state).toList())
          .isNegative();
      TimeUnit.MILLISECONDS.sleep(50); // between two looks at other processes
    }
  }
}
