// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.member.ReplicaProcesses.Replica;
import dev.coxswain.testing.process.FreePorts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three replicas as processes of their own on the loopback interface. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // every wait inside has its own limit
@Order(1) // takes long
class MemberProcessesTest {
  @TempDir private Path folder;

  private ReplicaProcesses replicas;

  @BeforeEach
  void prepare() throws Exception {
    replicas =
        new ReplicaProcesses(
            folder, FreePorts.find(3).stream().map(port -> "127.0.0.1:" + port).toList());
  }

  @AfterEach
  void killAll() {
    replicas.close();
  }

  @Test
  void killOfTheOwner_exceedsNoWindow_andTheOthersGoOn() throws Exception {
    Replica owner = startThree();
    owner.process.destroyForcibly().waitFor();
    List<Replica> others = replicas.all().stream().filter(r -> r != owner).toList();
    replicas.await(
        "the others have another owner",
        () ->
            others.stream().anyMatch(r -> r.state.contains("owner=true"))
                && others.stream()
                    .allMatch(
                        r -> r.state.startsWith("members=2") && r.state.endsWith("pool=true")));
    int before = others.stream().mapToInt(Replica::starts).sum();
    replicas.await(
        "they go on", () -> others.stream().mapToInt(Replica::starts).sum() > before + 100);
    replicas.assertNoWindowIsExceeded();
  }

  /** Hazelcast by itself looks for the others after five minutes, longer than this test waits. */
  @Test
  void ownerThatWasExpelledWhileItStoodStill_joinsTheOthersAgain_andExceedsNoWindow()
      throws Exception {
    Replica owner = startThree();
    signal("-STOP", owner);
    List<Replica> others = replicas.all().stream().filter(r -> r != owner).toList();
    replicas.await(
        "the others go on without it",
        () -> others.stream().allMatch(r -> r.state.startsWith("members=2")));
    signal("-CONT", owner);
    replicas.await("it leaves its own part", () -> !owner.state.startsWith("members=3"));
    replicas.await(
        "it joins", () -> replicas.all().stream().allMatch(r -> r.state.startsWith("members=3")));
    replicas.await("it has the pool again", () -> owner.state.endsWith("pool=true"));
    int before = owner.starts();
    replicas.await("it uses it", () -> owner.starts() > before + 30);
    replicas.assertNoWindowIsExceeded();
  }

  private static void signal(String signal, Replica replica) throws Exception {
    int code =
        new ProcessBuilder("kill", signal, Long.toString(replica.process.pid())).start().waitFor();
    assertThat(code).isZero();
  }

  /** Starts three replicas, waits until all use the pool, and returns its owner. */
  private Replica startThree() throws Exception {
    replicas.startAll();
    replicas.awaitOnePool();
    AtomicReference<Optional<Replica>> owner = new AtomicReference<>();
    replicas.await(
        "an owner",
        () -> {
          owner.set(
              replicas.all().stream().filter(r -> r.state.contains("owner=true")).findFirst());
          return owner.get().isPresent();
        });
    return owner.get().orElseThrow();
  }
}
